package io.taskexec.dispatch.kafka;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.taskexec.dispatch.egress.EgressGuard;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The producers that are open: one for each target, each with a thread and buffers of its own, and so never more than a
 * bound. One that nobody uses gives way to another, the least recently used first; when all are in use, whoever needs
 * another waits.
 */
@Singleton
public class KafkaProducers {
    /** The most producers at once. */
    static final int MOST = 64;

    /** After which a producer that nobody uses is closed. */
    static final Duration IDLE = Duration.ofMinutes(10);

    private static final Duration BETWEEN_LOOKS = Duration.ofMinutes(1);
    private static final Logger LOG = Logger.getLogger(KafkaProducers.class);

    private final EgressGuard guard;
    private final LongSupplier nanoTime;
    private final AtomicLong names = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    /** Those that can be had, least recently used first. */
    private final Map<KafkaTarget, SharedProducer> current = new LinkedHashMap<>(MOST, 0.75f, true);

    /** Those, and those that are no longer to be had and not closed yet. */
    private int open;

    @Inject
    public KafkaProducers(Vertx vertx, EgressGuard guard, MeterRegistry registry) {
        this(guard, System::nanoTime);
        var _ = vertx.setPeriodic(BETWEEN_LOOKS.toMillis(), _ -> closeIdle());
        Gauge.builder("taskexec.kafka.producers", this, KafkaProducers::open)
                .description("Producers of this process that are open, one for each Kafka cluster and its terms")
                .register(registry);
    }

    public KafkaProducers(EgressGuard guard, LongSupplier nanoTime) {
        this.guard = guard;
        this.nanoTime = nanoTime;
    }

    /** How many are open. */
    int open() {
        lock.lock();
        try {
            return open;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The producer for {@code target}, which stays open until {@code user} has given it back. Blocks while all are in
     * use; null when they still are after {@code patience}.
     */
    @Nullable
    SharedProducer take(KafkaTarget target, KafkaExchange user, Duration patience) throws InterruptedException {
        var left = patience.toNanos();
        lock.lockInterruptibly();
        try {
            var producer = current.get(target);
            while (producer == null && !hasRoom()) {
                if (left <= 0) {
                    return null;
                }
                left = room.awaitNanos(left);
                producer = current.get(target);
            }
            if (producer == null) {
                producer = add(target);
            }
            producer.add(user);
            return producer;
        } finally {
            lock.unlock();
        }
    }

    /** Whether one more can be opened. If not, one that nobody uses is closed, so that one can be soon. */
    private boolean hasRoom() {
        if (open < MOST) {
            return true;
        }
        current.values().stream()
                .filter(producer -> !producer.isUsed())
                .findFirst()
                .ifPresent(this::retire);
        return false;
    }

    private SharedProducer add(KafkaTarget target) {
        var producer = new SharedProducer(target, "taskexec-" + names.incrementAndGet(), guard);
        current.put(target, producer);
        open++;
        return producer;
    }

    /** {@code user} has done with it. One that is {@code broken} is given to nobody else. */
    void giveBack(SharedProducer producer, KafkaExchange user, boolean broken) {
        lock.lock();
        try {
            producer.remove(user, nanoTime.getAsLong());
            if (broken) {
                var _ = current.remove(producer.target(), producer);
            }
            if (!producer.isUsed()) {
                if (current.get(producer.target()) != producer) {
                    closeSoon(producer);
                }
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes those that nobody has used for long. */
    void closeIdle() {
        lock.lock();
        try {
            var then = nanoTime.getAsLong() - IDLE.toNanos();
            List.copyOf(current.values()).stream()
                    .filter(producer -> producer.isIdleSince(then))
                    .forEach(this::retire);
        } finally {
            lock.unlock();
        }
    }

    /** Closes all that nobody uses, and each of the others as soon as nobody does. */
    @PreDestroy
    void close() {
        lock.lock();
        try {
            List.copyOf(current.values()).forEach(this::retire);
        } finally {
            lock.unlock();
        }
    }

    private void retire(SharedProducer producer) {
        var _ = current.remove(producer.target(), producer);
        if (!producer.isUsed()) {
            closeSoon(producer);
        }
    }

    /** On a thread of its own, since it waits for that of the producer. */
    private void closeSoon(SharedProducer producer) {
        var _ = Thread.ofVirtual().name("taskexec-kafka-close").start(() -> {
            try {
                producer.close();
            } catch (RuntimeException e) {
                LOG.warnf("a Kafka producer could not be closed in good order: %s", e);
            } finally {
                closed();
            }
        });
    }

    private void closed() {
        lock.lock();
        try {
            open--;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
