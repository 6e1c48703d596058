package io.taskexec.dispatch.kafka;

import static io.taskexec.dispatch.kafka.KafkaTestBed.DELIVERY;
import static io.taskexec.dispatch.kafka.KafkaTestBed.PATIENCE;
import static io.taskexec.dispatch.kafka.KafkaTestBed.message;
import static io.taskexec.testing.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.Cancellable;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Counts producers, which are shared and limited, and closed when they are idle. */
class KafkaProducersTest {
    private static KafkaBroker broker;
    private static String topic;

    private final KafkaTestBed bed = new KafkaTestBed();
    private final List<Cancellable> underWay = new ArrayList<>();

    @BeforeAll
    static void open() {
        broker = KafkaBroker.shared();
        topic = broker.topic("producers", 1, Map.of());
    }

    @AfterEach
    void close() {
        underWay.forEach(Cancellable::cancel);
        bed.close();
    }

    @Test
    void thoseThatAreNotUsedForLongAreClosed() throws InterruptedException {
        deliver(Duration.ofSeconds(10), "all");
        bed.nanoTime.addAndGet(KafkaProducers.IDLE.dividedBy(2).toNanos());
        deliver(Duration.ofSeconds(10), "1");
        assertThat(bed.producers.open()).isEqualTo(2);

        bed.nanoTime.addAndGet(KafkaProducers.IDLE.dividedBy(2).toNanos());
        bed.producers.closeIdle();

        Eventually.await("one is closed", PATIENCE, () -> bed.producers.open() == 1);
        deliver(Duration.ofSeconds(10), "1");
        assertThat(bed.producers.open()).isEqualTo(1);
    }

    @Test
    void whatDiffersInNothingThatMattersSharesAProducer() {
        deliver(Duration.ofSeconds(10), "all");
        deliver(Duration.ofSeconds(4), "all");
        assertThat(bed.producers.open()).isEqualTo(1);
        deliver(Duration.ofSeconds(3), "all");
        assertThat(bed.producers.open()).isEqualTo(2);
        deliver(Duration.ofSeconds(10), "0");
        assertThat(bed.producers.open()).isEqualTo(3);
    }

    /** Each list begins with another port, where nothing listens; each takes a place until its time is over. */
    @Test
    void aThousandListsOfServersTakeTheirTurnsWithinABound() {
        var most = new AtomicInteger();
        var begun = System.nanoTime();

        var outcomes = Multi.createFrom()
                .range(0, 1000)
                .onItem()
                .transformToUni(i -> {
                    var absent = "127.0.0.1:1,127.0.0.1:" + (2 + i);
                    return bed.dispatcher
                            .dispatch(message(absent, topic).withTimeout(Duration.ofMillis(500)), DELIVERY)
                            .invoke(() -> {
                                if (i % 50 == 0) {
                                    most.accumulateAndGet(names().size(), Math::max);
                                }
                            });
                })
                .merge(1000)
                .collect()
                .asList()
                .await()
                .atMost(PATIENCE);

        assertThat(outcomes).hasSize(1000).allSatisfy(outcome -> {
            assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
            // On a slow machine the client's own time may be over first.
            assertThat(failure(outcome).type()).isIn(Failure.Type.TIMEOUT, Failure.Type.BROKER_ERROR);
        });
        assertThat(outcomes).anyMatch(it -> failure(it).message().contains("were all in use within 500 ms"));
        assertThat(most.get()).isBetween(1, KafkaProducers.MOST);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(7));
    }

    @Test
    void aClusterThatIsAwayDoesNotHoldUpAnother() {
        var away = message("127.0.0.1:" + Program.freePort(), topic).withTimeout(Duration.ofSeconds(3));
        for (var i = 0; i < 2_000; i++) {
            underWay.add(bed.dispatcher.dispatch(away, DELIVERY).subscribe().with(_ -> {}));
        }
        var begun = System.nanoTime();

        deliver(Duration.ofSeconds(10), "all");

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void whatWaitsForAPlaceGetsItWhenOneIsFree() {
        for (var i = 0; i < KafkaProducers.MOST; i++) {
            var away = message("127.0.0.1:" + (1 + i), topic).withTimeout(Duration.ofMillis(600));
            underWay.add(bed.dispatcher.dispatch(away, DELIVERY).subscribe().with(_ -> {}));
        }

        deliver(Duration.ofSeconds(10), "all");
    }

    private void deliver(Duration timeout, String acks) {
        var outcome =
                bed.dispatch(new KafkaMessage(broker.bootstrap(), topic, "k", "1", Map.of(), acks, null, timeout));
        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
    }

    /** Of the producers that have a thread. */
    private static List<String> names() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("kafka-producer-network-thread | taskexec-"))
                .map(name -> name.substring(name.indexOf('|') + 2))
                .toList();
    }
}
