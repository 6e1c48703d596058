package io.taskexec.kafka;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.Switch;
import io.taskexec.store.event.EventCursorStore;
import io.taskexec.store.event.EventStore;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.PublishedEvents;
import io.taskexec.testing.TestDb;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventPublishingTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int PARTITIONS = 3;

    private static TestDb db;
    private static KafkaBroker broker;
    private static int topics;

    private final List<LoopTimer> timers = new ArrayList<>();
    private String topic;

    private record To(Optional<String> eventsKafkaTopic, Optional<String> eventsKafkaBootstrapServers)
            implements KafkaConfig, EventsConfig {
        @Override
        public Optional<String> jobsKafkaTopic() {
            return Optional.empty();
        }

        @Override
        public Optional<String> jobsKafkaBootstrapServers() {
            return Optional.empty();
        }

        @Override
        public String jobsKafkaGroup() {
            return "unused";
        }

        @Override
        public Optional<String> jobsKafkaDeadLetterTopic() {
            return Optional.empty();
        }

        @Override
        public Switch eventsEnabled() {
            return Switch.TRUE;
        }

        @Override
        public int eventsRetentionHours() {
            return 24;
        }
    }

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
        broker = KafkaBroker.shared();
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void makeTopic() {
        topic = broker.topic("events-" + topics++, PARTITIONS, Map.of());
        for (var table : List.of("event_outbox", "event_log")) {
            db.execute("DELETE FROM " + table);
        }
    }

    @AfterEach
    void stopAll() {
        timers.forEach(LoopTimer::close);
        db.execute("DELETE FROM event_positions WHERE name LIKE 'kafka:%'");
        db.execute("UPDATE event_positions SET position = 0");
    }

    private EventPublishing publishing(LoopTimer timer) {
        return publishing(timer, broker.bootstrap());
    }

    private EventPublishing publishing(LoopTimer timer, String brokers) {
        timers.add(timer);
        var config = new To(Optional.of(topic), Optional.of(brokers));
        return new EventPublishing(
                new EventStore(db.database(), config),
                new EventCursorStore(db.database()),
                new KafkaClients(Map::of),
                config,
                timer,
                new SimpleMeterRegistry());
    }

    private static void write(UUID id, int attempt) {
        db.execute(
                "INSERT INTO event_outbox (execution_id, job_id, kind, attempt) VALUES ($1, $1, 'STARTED', $2)",
                id,
                attempt);
    }

    private long published() {
        return db.rows("SELECT position FROM event_positions WHERE name = $1", "kafka:" + topic).stream()
                .mapToLong(row -> row.getLong(0))
                .sum();
    }

    private void awaitPublished(long position) throws InterruptedException {
        Eventually.await("published up to " + position, BOUND, () -> published() == position);
    }

    @Test
    void eventsArePublishedAsCloudEventsWithTheExecutionAsTheirKey() throws InterruptedException {
        var publishing = publishing(new LoopTimer());
        publishing.start();
        write(UUID.randomUUID(), 1);
        awaitPublished(1);

        var record = broker.records(topic, 1).getFirst();

        assertThat(record.headers().lastHeader("content-type").value())
                .asString(StandardCharsets.UTF_8)
                .startsWith("application/cloudevents+json");
        assertThat(PublishedEvents.of(broker, topic, 1).values())
                .extracting(event -> event.get("type").textValue())
                .containsExactly("io.taskexec.execution.started");
        await(publishing.stop());
    }

    @Test
    void aProcessThatCannotReachTheBrokersLeavesTheTurnToAnother() throws InterruptedException {
        var cutOff = publishing(new LoopTimer(), "localhost:1");
        cutOff.start();
        write(UUID.randomUUID(), 1);
        Eventually.await(
                "it has the turn",
                BOUND,
                () -> db.number("SELECT count(*) FROM event_positions WHERE owner IS NOT NULL") == 1);
        var other = publishing(new LoopTimer());
        other.start();

        awaitPublished(1);

        await(cutOff.stop());
        await(other.stop());
    }

    @Test
    void whatHasHappenedBeforeAStopIsPublished() throws InterruptedException {
        var publishing = publishing(new LoopTimer());
        publishing.start();
        write(UUID.randomUUID(), 1);
        awaitPublished(1);
        var many = 1_200;
        db.execute("""
                INSERT INTO event_outbox (execution_id, job_id, kind, attempt)
                SELECT $1, $1, 'STARTED', i FROM generate_series(2, $2) AS i
                """, UUID.randomUUID(), many);

        await(publishing.stop());

        assertThat(published()).isEqualTo(many);
        assertThat(db.number("SELECT count(*) FROM event_positions WHERE owner IS NOT NULL"))
                .isZero();
    }

    @Test
    void whereThereIsNoTopicNothingIsBegun() {
        topic = "";
        var config = new To(Optional.empty(), Optional.empty());
        var idle = new EventPublishing(
                new EventStore(db.database(), config),
                new EventCursorStore(db.database()),
                new KafkaClients(() -> {
                    throw new AssertionError("nobody needs a client");
                }),
                config,
                new LoopTimer(),
                new SimpleMeterRegistry());

        idle.start();
        await(idle.stop());

        assertThat(db.number("SELECT count(*) FROM event_positions")).isEqualTo(2);
    }

    /** The second one begins before the place of the first, as if that had died between the broker and the database. */
    @Test
    void whatAKilledPublisherLeftIsPublishedByAnotherInTheOrderOfEachExecution() throws InterruptedException {
        var executions = 20;
        var changes = 30;
        var ids =
                IntStream.range(0, executions).mapToObj(_ -> UUID.randomUUID()).toList();
        var killed = new LoopTimer();
        publishing(killed).start();
        for (var attempt = 1; attempt <= changes; attempt++) {
            for (var id : ids) {
                write(id, attempt);
            }
            if (attempt == changes / 2) {
                Eventually.await("a part is published", BOUND, () -> published() > 0);
                killed.close();
            }
        }
        var heir = publishing(new LoopTimer());
        heir.start();
        assertThat(db.number("SELECT count(*) FROM event_positions WHERE owner IS NOT NULL"))
                .isOne();

        db.execute(
                "UPDATE event_positions SET owned_until = now(), position = greatest(position - 10, 0) WHERE name = $1",
                "kafka:" + topic);
        awaitPublished((long) executions * changes);

        var attempts = new HashMap<String, List<Integer>>();
        PublishedEvents.of(broker, topic, executions * changes)
                .values()
                .forEach(event -> attempts.computeIfAbsent(event.get("subject").textValue(), _ -> new ArrayList<>())
                        .add(event.at("/data/attempt").intValue()));
        assertThat(attempts).hasSize(executions);
        assertThat(attempts.values())
                .allSatisfy(each -> assertThat(each)
                        .containsExactlyElementsOf(
                                IntStream.rangeClosed(1, changes).boxed().toList()));
        await(heir.stop());
        assertThat(db.number("SELECT count(*) FROM event_positions WHERE owner IS NOT NULL"))
                .isZero();
    }

    @Test
    void whileTheTopicCannotBeWrittenToNothingIsLost() throws InterruptedException {
        topic = "late-" + topic;
        var publishing = publishing(new LoopTimer());
        publishing.start();
        write(UUID.randomUUID(), 1);
        Eventually.await("it is in the log", BOUND, () -> db.number("SELECT count(*) FROM event_log") == 1);
        assertThat(published()).isZero();

        var _ = broker.topic(topic, PARTITIONS, Map.of());
        write(UUID.randomUUID(), 2);
        awaitPublished(2);

        assertThat(PublishedEvents.of(broker, topic, 2)).containsOnlyKeys(1L, 2L);
        await(publishing.stop());
    }
}
