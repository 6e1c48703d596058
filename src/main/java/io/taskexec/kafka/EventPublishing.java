package io.taskexec.kafka;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.store.event.EventCursorStore;
import io.taskexec.store.event.EventStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the log of events to a Kafka topic, at least once and in the order of each execution. Of many processes one
 * has the turn; it goes on from the place in the database that it moves on when the broker has acknowledged. When it is
 * not heard of any more, another one takes the turn.
 */
@Singleton
public final class EventPublishing {
    private static final Logger LOG = Logger.getLogger(EventPublishing.class);

    /** Three times what an event may take, so that what was sent is acknowledged or given up before another goes on. */
    private static final Duration TURN = KafkaClients.DELIVERY.multipliedBy(3);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
    private static final Duration BETWEEN_ASKING = Duration.ofSeconds(2);
    private static final int PAGE = 500;

    /** The longest time that a process goes on publishing when it stops and others write events. */
    private static final Duration LAST_EVENTS = Duration.ofSeconds(5);

    /** After this the turn is left to lapse, since records may still be on their way. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(7);

    private final EventStore log;
    private final EventCursorStore cursors;
    private final KafkaClients clients;
    private final KafkaConfig config;
    private final LoopTimer timer;
    private final Counter published;
    private final UUID self = UUID.randomUUID();
    private @Nullable Running running;

    EventPublishing(
            EventStore log,
            EventCursorStore cursors,
            KafkaClients clients,
            KafkaConfig config,
            LoopTimer timer,
            MeterRegistry metrics) {
        this.log = log;
        this.cursors = cursors;
        this.clients = clients;
        this.config = config;
        this.timer = timer;
        this.published = Counter.builder("taskexec.events.published")
                .description("Events that a broker has acknowledged to this process")
                .register(metrics);
    }

    /** Begins, if there is a topic. */
    public void start() {
        var topic = config.eventsKafkaTopic().orElse(null);
        if (topic != null) {
            running = new Running(topic, config.eventsKafkaBootstrapServers().orElseThrow());
            running.loop.start();
        }
    }

    /** Publishes what has happened until now, ends, and gives the turn to others. */
    public Uni<Void> stop() {
        return running == null ? Uni.createFrom().voidItem() : running.stop();
    }

    /** The parts that need a topic. */
    private final class Running {
        private final String cursor;
        private final EventPublisher publisher;
        private final Loop loop;
        private final OutageLog outages =
                new OutageLog(LOG, "events cannot be published", "events are published again");

        /** The last published position, while this process is the publisher. */
        private @Nullable Long position;

        /** Until when it has it, with what an event may take at most left, a {@link System#nanoTime}. */
        private long turnEnds;

        private boolean created;

        Running(String topic, String bootstrapServers) {
            cursor = "kafka:" + topic;
            var thread = Executors.newSingleThreadExecutor(
                    Thread.ofVirtual().name("publish-events").factory());
            publisher = new EventPublisher(topic, clients.sender(bootstrapServers), thread);
            loop = new Loop("publishing events", this::runOnce, timer);
        }

        Uni<Void> stop() {
            return loop.stop()
                    .chain(this::publishLast)
                    .chain(publisher::close)
                    .chain(() -> cursors.release(cursor, self))
                    .ifNoItem()
                    .after(LONGEST_STOP)
                    .fail()
                    .onFailure()
                    .recoverWithNull();
        }

        /** Where the brokers cannot be used, or another process has the turn, the events are left to the next one. */
        private Uni<Void> publishLast() {
            if (outages.isOn()) {
                return Uni.createFrom().voidItem();
            }
            var end = System.nanoTime() + LAST_EVENTS.toNanos();
            return Multi.createBy()
                    .repeating()
                    .uni(() -> holdTurn()
                            .chain(from -> from == null ? Uni.createFrom().item(0) : publishAfter(from)))
                    .whilst(count -> count > 0 && System.nanoTime() - end < 0)
                    .collect()
                    .last()
                    .replaceWithVoid()
                    .onFailure()
                    .invoke(failure -> LOG.warnf("the last events are published later: %s", failure))
                    .onFailure()
                    .recoverWithNull();
        }

        private Uni<Duration> runOnce() {
            return holdTurn()
                    .chain(from -> from == null
                            ? rest()
                            : publishAfter(from).map(count -> count == PAGE ? Duration.ZERO : BETWEEN_LOOKS))
                    .onFailure(KafkaException.class)
                    .recoverWithUni(failure -> {
                        outages.began(failure);
                        position = null;
                        // Another process may reach the brokers.
                        return rest().call(() -> cursors.release(cursor, self));
                    });
        }

        private Uni<Duration> rest() {
            return publisher.close().replaceWith(BETWEEN_ASKING);
        }

        /** The turn is renewed when half of it has passed. */
        private Uni<@Nullable Long> holdTurn() {
            var asked = System.nanoTime();
            if (position != null && turnEnds - asked > TURN.dividedBy(2).toNanos()) {
                return Uni.createFrom().item(position);
            }
            Uni<@Nullable Long> held = create().chain(() -> cursors.hold(cursor, self, TURN));
            return held.invoke(place -> {
                position = place;
                turnEnds = asked + TURN.minus(KafkaClients.DELIVERY).toNanos();
            });
        }

        private Uni<Void> create() {
            return created
                    ? Uni.createFrom().voidItem()
                    : cursors.create(cursor).invoke(() -> created = true);
        }

        /** Returns how many events it has published. */
        private Uni<Integer> publishAfter(long from) {
            return log.follow(from, PAGE)
                    .chain(events -> events.isEmpty() ? Uni.createFrom().item(0) : publish(from, events));
        }

        private Uni<Integer> publish(long from, List<ExecutionEvent> events) {
            var removed = events.getFirst().position() - from - 1;
            if (removed > 0) {
                LOG.errorf("%d events were removed for their age before they could be published", removed);
            }
            var to = events.getLast().position();
            return publisher
                    .publish(events, turnEnds)
                    .chain(() -> cursors.advance(cursor, self, from, to))
                    .map(moved -> {
                        position = moved ? (Long) to : null;
                        published.increment(events.size());
                        outages.ended();
                        return events.size();
                    });
        }
    }
}
