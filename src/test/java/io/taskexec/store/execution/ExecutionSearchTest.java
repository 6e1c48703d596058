package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionSelection;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Failure;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.execution.ExecutionSearch.Count;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@StoreTest
class ExecutionSearchTest {
    private static final ExecutionSelection ALL = status(null);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static ExecutionSearch search;

    private UUID succeeded;
    private UUID refused;
    private UUID timedOut;
    private UUID cancelled;
    private UUID expired;
    private UUID skipped;
    private UUID waiting;
    private UUID deferred;
    private UUID superseded;
    private UUID retrying;
    private UUID queued;
    private UUID running;
    private UUID pending;

    @BeforeAll
    static void open() {
        search = new ExecutionSearch(db.database());
        rows.endpoint(ENDPOINT).insert();
    }

    @BeforeEach
    void fill() {
        var _ = db.execute("DELETE FROM replays");
        expired = rows.finished()
                .status("EXPIRED")
                .createdAgo(Duration.ofMinutes(9))
                .insert();
        superseded = rows.finished()
                .status("SUPERSEDED")
                .createdAgo(Duration.ofMinutes(13))
                .insert();
        skipped = rows.finished()
                .status("SKIPPED")
                .createdAgo(Duration.ofMinutes(10))
                .insert();
        deferred = rows.live().id(from(12)).dueIn(Duration.ofHours(1)).insert();
        db.execute(
                "UPDATE exec_live SET attempt = 1, started_at = now(), deferred = true WHERE execution_id = $1",
                deferred);
        waiting = rows.live().id(from(11)).insert();
        db.execute(
                "UPDATE exec_live SET trigger_rule = 1, parents_open = 1, parents_succeeded = 0, parents_failed = 0,"
                        + " parents_skipped = 0, visible_at = " + DependencyStatement.WAITING_TIME
                        + " WHERE execution_id = $1",
                waiting);
        pending = rows.live().id(from(8)).dueIn(Duration.ofHours(1)).insert();
        succeeded = rows.finished().createdAgo(Duration.ofMinutes(7)).insert();
        running = rows.live()
                .id(from(6))
                .leased(rows.worker(Duration.ZERO), Duration.ofMinutes(1))
                .insert();
        refused = failed(5, "HTTP_ERROR");
        retrying =
                rows.live().id(from(4)).failures(1).dueIn(Duration.ofMinutes(1)).insert();
        timedOut = failed(3, "TIMEOUT");
        cancelled = rows.finished()
                .status("CANCELLED")
                .createdAgo(Duration.ofMinutes(2))
                .insert();
        queued = rows.live().id(from(1)).insert();
    }

    private static UUID from(int minutes) {
        return Rows.idFrom(Duration.ofMinutes(minutes));
    }

    private static UUID failed(int minutes, String type) {
        var id = rows.finished()
                .status("FAILED")
                .createdAgo(Duration.ofMinutes(minutes))
                .insert();
        db.execute(
                "UPDATE executions SET error = json_build_object('type', $2::text) WHERE execution_id = $1", id, type);
        return id;
    }

    private static ExecutionSelection status(@Nullable ExecutionStatus status) {
        return new ExecutionSelection(status, null, null, null, null, null, null, null);
    }

    private static ExecutionSelection retried(boolean retried) {
        return new ExecutionSelection(ExecutionStatus.FAILED, null, null, null, null, null, null, retried);
    }

    private static List<UUID> found(ExecutionSelection wanted) {
        return await(search.list(wanted, 100, null)).items().stream()
                .map(Execution::id)
                .toList();
    }

    @Test
    void liveAndFinishedOnesAreOneListNewestFirst() {
        assertThat(found(ALL))
                .containsExactly(
                        queued,
                        cancelled,
                        timedOut,
                        retrying,
                        refused,
                        running,
                        succeeded,
                        pending,
                        expired,
                        skipped,
                        waiting,
                        deferred,
                        superseded);
    }

    @ParameterizedTest
    @EnumSource
    void eachStatusIsFound(ExecutionStatus status) {
        var expected = switch (status) {
            case PENDING -> List.of(pending);
            case QUEUED -> List.of(queued);
            case RUNNING -> List.of(running);
            case RETRYING -> List.of(retrying);
            case SUCCESS -> List.of(succeeded);
            case FAILED -> List.of(timedOut, refused);
            case CANCELLED -> List.of(cancelled);
            case EXPIRED -> List.of(expired);
            case SKIPPED -> List.of(skipped);
            case SUPERSEDED -> List.of(superseded);
            case WAITING -> List.of(waiting);
            case DEFERRED -> List.of(deferred);
        };

        assertThat(found(status(status))).isEqualTo(expected);
        assertThat(await(search.list(status(status), 10, null)).items())
                .allSatisfy(execution -> assertThat(execution.status()).isEqualTo(status));
        assertThat(await(search.count(status(status), 100))).isEqualTo(new Count(expected.size(), false));
    }

    @Test
    void everyOtherConditionNarrowsTheListDown() {
        db.execute("INSERT INTO job_tags VALUES ('mail', $1), ('mail', $2)", refused, queued);
        var before = Instant.now().minus(Duration.ofMinutes(4)).minusSeconds(30);

        assertThat(found(new ExecutionSelection(null, Failure.Type.TIMEOUT, null, null, null, null, null, null)))
                .containsExactly(timedOut);
        assertThat(found(new ExecutionSelection(null, null, null, null, "mail", null, null, null)))
                .containsExactly(queued, refused);
        assertThat(found(new ExecutionSelection(null, null, "other", null, null, null, null, null)))
                .isEmpty();
        assertThat(found(new ExecutionSelection(null, null, null, "other", null, null, null, null)))
                .isEmpty();
        assertThat(found(new ExecutionSelection(null, null, null, null, null, null, before, null)))
                .containsExactly(refused, running, succeeded, pending, expired, skipped, waiting, deferred, superseded);
        assertThat(found(new ExecutionSelection(
                        ExecutionStatus.FAILED,
                        Failure.Type.HTTP_ERROR,
                        ENDPOINT,
                        "default",
                        "mail",
                        before.minusSeconds(60),
                        before,
                        false)))
                .containsExactly(refused);
    }

    @Test
    void whatHasBeenRepeatedSaysAsWhatAndCanBeLeftOut() {
        var replay = Uuid7.next();
        await(new ReplayStore(db.database(), new DueSignal(), db.region("default")).replay(refused, replay));

        assertThat(found(retried(false))).containsExactly(timedOut);
        assertThat(found(retried(true))).containsExactly(refused);
        assertThat(await(search.list(retried(true), 1, null)).items().getFirst().retriedAs())
                .isEqualTo(replay);
    }

    @Test
    void pagesFollowEachOtherWithoutGapsAcrossBothTables() {
        var seen = new ArrayList<UUID>();
        @Nullable UUID after = null;
        do {
            var page = await(search.list(ALL, 3, after));
            page.items().forEach(execution -> seen.add(execution.id()));
            after = page.next();
        } while (after != null);

        assertThat(seen).isEqualTo(found(ALL));
    }

    @Test
    void aPageThatIsNotFullSaysHowFarWasLookedAt() {
        var everything = found(ALL);
        var wanted = new ExecutionSelection(null, null, null, "default", null, null, null, null);
        var found = new ArrayList<UUID>();
        UUID after = null;
        do {
            var page = await(search.newest(wanted, 100, after, 2));
            assertThat(page.items().size()).isLessThan(everything.size());
            page.items().forEach(one -> found.add(one.id()));
            after = page.next();
        } while (after != null);

        assertThat(found).containsExactlyElementsOf(everything);
    }

    @Test
    void aPageThatIsFullGoesOnAfterItsLastItem() {
        var wanted = new ExecutionSelection(null, null, null, "default", null, null, null, null);

        var page = await(search.newest(wanted, 1, null, 3));

        assertThat(page.next()).isEqualTo(page.items().getFirst().id());
    }

    @Test
    void itIsCountedUpToABound() {
        assertThat(await(search.count(ALL, 13))).isEqualTo(new Count(13, false));
        assertThat(await(search.count(ALL, 12))).isEqualTo(new Count(12, true));
    }

    @Test
    void aCountLooksNoFurtherThanTheNewest() {
        var wanted = new ExecutionSelection(null, null, null, "default", null, null, null, null);
        var all = await(search.count(wanted, 100));
        assertThat(all.more()).isFalse();

        var newest = await(search.countNewest(wanted, 100, 2));

        assertThat(newest.more()).isTrue();
        assertThat(newest.count()).isPositive().isLessThan(all.count());
        assertThat(await(search.countNewest(wanted, 100, 1_000))).isEqualTo(all);
    }
}
