package io.taskexec.store.event;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.model.job.ExecutionEvent.Kind;
import io.taskexec.store.sql.Connections;
import io.taskexec.store.sql.Database;
import io.taskexec.testing.EventsOn;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@StoreTest
class EventStoreTest {
    private static final Duration TURN = Duration.ofSeconds(30);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static EventStore store;
    private static EventCursorStore cursors;

    @BeforeAll
    static void open() {
        store = new EventStore(db.database(), new EventsOn());
        cursors = new EventCursorStore(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void clear() {
        for (var table : List.of("event_outbox", "event_log")) {
            db.execute("DELETE FROM " + table);
        }
        db.execute("DELETE FROM event_positions WHERE name NOT IN ('log', 'removed')");
        db.execute("UPDATE event_positions SET position = 0");
    }

    private static final String WRITE =
            "INSERT INTO event_outbox (execution_id, job_id, kind, attempt) VALUES ($1, $1, 'STARTED', $2)";

    private static void write(UUID executionId, int attempt) {
        db.execute(WRITE, executionId, attempt);
    }

    private static Uni<?> write(SqlConnection transaction, UUID executionId, int attempt) {
        return Database.on(transaction, WRITE, Tuple.of(executionId, attempt));
    }

    private static List<Long> positions(List<ExecutionEvent> events) {
        return events.stream().map(ExecutionEvent::position).toList();
    }

    @Test
    void anEventHasAllThatIsKnownOfIt() {
        var id = rows.live().insert();
        db.execute(
                "INSERT INTO event_outbox (execution_id, job_id, kind, attempt, error_type, next_run_at)"
                        + " VALUES ($1, $1, 'RETRYING', 3, 'TIMEOUT', now() + interval '1 min')",
                id);

        var event = await(store.follow(0, 10)).getFirst();

        assertThat(event.position()).isOne();
        assertThat(event.kind()).isEqualTo(Kind.RETRYING);
        assertThat(event.executionId()).isEqualTo(id);
        assertThat(event.jobId()).isEqualTo(id);
        assertThat(event.endpoint()).isEqualTo(ENDPOINT);
        assertThat(event.attempt()).isEqualTo(3);
        assertThat(event.errorType()).isEqualTo("TIMEOUT");
        assertThat(event.nextRunAt()).isEqualTo(event.at().plusSeconds(60));
        assertThat(db.number("SELECT count(*) FROM event_outbox")).isZero();
    }

    @Test
    void whatCommitsLateIsReadLateAndNotMissed() {
        var held = new CompletableFuture<Void>();
        var early = UUID.randomUUID();
        var later = UUID.randomUUID();
        var writing = new CompletableFuture<Void>();
        var transaction = db.database()
                .withTransaction(connection -> write(connection, early, 1)
                        .invoke(() -> writing.complete(null))
                        .chain(() -> Uni.createFrom().completionStage(held)))
                .subscribeAsCompletionStage();
        writing.orTimeout(TestDb.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        write(later, 1);

        var first = await(store.follow(0, 10));
        assertThat(first).extracting(ExecutionEvent::executionId).containsExactly(later);
        assertThat(await(store.follow(1, 10))).isEmpty();
        held.complete(null);
        transaction.toCompletableFuture().join();

        var second = await(store.follow(1, 10));
        assertThat(second).extracting(ExecutionEvent::executionId).containsExactly(early);
        assertThat(positions(second)).containsExactly(2L);
    }

    @Test
    void aChangeThatIsRolledBackLeavesNoEventAndNoGap() {
        write(UUID.randomUUID(), 1);
        var rolledBack = db.database()
                .withTransaction(connection -> write(connection, UUID.randomUUID(), 1)
                        .chain(() -> Uni.createFrom().<Void>failure(new IllegalArgumentException("no"))));
        assertThat(await(rolledBack.onFailure().recoverWithNull())).isNull();
        write(UUID.randomUUID(), 1);

        assertThat(positions(await(store.follow(0, 10)))).containsExactly(1L, 2L);
    }

    /** Each writer changes its execution over and over; three readers move what there is, and one of them follows. */
    @Test
    void whoFollowsSeesEveryEventOnceAndThoseOfAnExecutionInTheirOrder() {
        var writers = 4;
        var changes = 150;
        var ids = IntStream.range(0, writers).mapToObj(_ -> UUID.randomUUID()).toList();
        var writing = IntStream.range(0, writers)
                .mapToObj(writer -> CompletableFuture.runAsync(() -> {
                    for (var attempt = 1; attempt <= changes; attempt++) {
                        write(ids.get(writer), attempt);
                    }
                }))
                .toList();
        var others = IntStream.range(0, 2)
                .mapToObj(_ -> CompletableFuture.runAsync(() -> {
                    while (!writing.stream().allMatch(CompletableFuture::isDone)) {
                        var _ = await(store.moveIfAny());
                    }
                }))
                .toList();

        var seen = new ArrayList<ExecutionEvent>();
        var deadline = System.nanoTime() + TestDb.PATIENCE.toNanos();
        while (seen.size() < writers * changes && System.nanoTime() < deadline) {
            seen.addAll(await(store.follow(seen.isEmpty() ? 0 : seen.getLast().position(), 50)));
        }
        writing.forEach(CompletableFuture::join);
        others.forEach(CompletableFuture::join);

        assertThat(positions(seen))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, (long) writers * changes)
                        .boxed()
                        .toList());
        var attempts = new HashMap<UUID, List<Integer>>();
        seen.forEach(event -> attempts.computeIfAbsent(event.executionId(), _ -> new ArrayList<>())
                .add(event.attempt()));
        assertThat(attempts.values())
                .hasSize(writers)
                .allSatisfy(each -> assertThat(each)
                        .containsExactlyElementsOf(
                                IntStream.rangeClosed(1, changes).boxed().toList()));
    }

    @Test
    void whatIsTooOldIsRemovedFromTheBeginningAndSaidToBe() {
        for (var i = 1; i <= 5; i++) {
            write(UUID.randomUUID(), i);
        }
        assertThat(await(store.move())).isFalse();
        db.execute("UPDATE event_log SET at = now() - interval '2 days' WHERE position <= 3");
        var end = Instant.now().minus(Duration.ofDays(1));

        assertThat(await(store.removeBefore(end, 2))).isEqualTo(2);
        assertThat(await(store.extent()).removed()).isEqualTo(2);
        assertThat(await(store.removeBefore(end, 2))).isEqualTo(1);
        assertThat(await(store.removeBefore(end, 2))).isZero();

        assertThat(await(store.extent()).removed()).isEqualTo(3);
        assertThat(positions(await(store.follow(0, 10)))).containsExactly(4L, 5L);
    }

    @Test
    void whoIsHeardOfNoMoreLosesTheTurnAndCannotMoveOn() {
        var first = UUID.randomUUID();
        var second = UUID.randomUUID();
        await(cursors.create("place"));
        assertThat(await(cursors.hold("place", first, TURN))).isZero();
        assertThat(await(cursors.hold("place", second, TURN))).isNull();
        assertThat(await(cursors.advance("place", first, 0, 7))).isTrue();
        assertThat(await(cursors.advance("place", first, 0, 7)))
                .as("said twice")
                .isTrue();
        db.execute("UPDATE event_positions SET owned_until = now() WHERE name = 'place'");

        assertThat(await(cursors.hold("place", second, TURN))).isEqualTo(7);

        assertThat(await(cursors.advance("place", first, 7, 9))).isFalse();
        assertThat(await(cursors.advance("place", second, 7, 8))).isTrue();
        await(cursors.release("place", first));
        assertThat(await(cursors.hold("place", first, TURN))).isNull();
        await(cursors.release("place", second));
        assertThat(await(cursors.hold("place", first, TURN))).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {EventStore.MOVE, EventStore.READ, EventStore.REMOVE})
    void theLogIsReadAlongItsKey(String sql) {
        db.execute("""
                INSERT INTO event_log (position, execution_id, job_id, kind, attempt, at)
                SELECT i, $1, $1, 'STARTED', 1, now() FROM generate_series(1, 20000) AS i
                """, UUID.randomUUID());
        db.execute("ANALYZE event_log");
        Object first = sql.equals(EventStore.REMOVE) ? OffsetDateTime.now(ZoneOffset.UTC) : (Object) 19_000L;

        var plan = db.rows("EXPLAIN " + sql, first, 100L).stream()
                .map(row -> row.getString(0))
                .collect(Collectors.joining("\n"));

        assertThat(plan).doesNotContain("Seq Scan on event_log", "Sort Key: event_log");
        assertThat(sql).hasSizeLessThan(Connections.LONGEST_PREPARED);
    }
}
