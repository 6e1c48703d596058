package io.taskexec.store.dependency;

import static io.taskexec.store.dependency.DependencyBed.on;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Expiry;
import io.taskexec.store.dependency.DependencyReleases.Counted;
import io.taskexec.store.invariant.InvariantStore;
import io.taskexec.store.job.CancelSignal;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Executions wait for their parents, and run or are skipped as their rules have it. */
@StoreTest
class DependencyReleasesTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static DependencyBed bed;

    @BeforeAll
    static void open() {
        rows.endpoint(DependencyBed.ENDPOINT).insert();
        rows.endpoint("strict").insert();
        rows.flowPolicy("strict", "max_concurrency, fifo", "1, true");
        bed = new DependencyBed(db);
    }

    @AfterEach
    void allInvariantsHold() {
        assertThat(await(new InvariantStore(db.database(), () -> 24).check(10_000)))
                .allSatisfy(finding -> assertThat(finding.count())
                        .as(finding.invariant().name())
                        .isZero());
    }

    private static void end(UUID id, boolean success) {
        bed.end(bed.claimed(id), success);
        bed.settle();
    }

    /** Of two parents that end: S succeeds, F fails, X is cancelled, K is skipped; how the child stands after each. */
    @ParameterizedTest
    @CsvSource({
        "ALL_SUCCESS, SS, WAITING QUEUED",
        "ALL_SUCCESS, SF, WAITING SKIPPED",
        "ALL_SUCCESS, FS, SKIPPED SKIPPED",
        "ALL_SUCCESS, XS, SKIPPED SKIPPED",
        "ALL_SUCCESS, KS, SKIPPED SKIPPED",
        "ALL_DONE, SF, WAITING QUEUED",
        "ALL_DONE, KX, WAITING QUEUED",
        "ONE_SUCCESS, SF, QUEUED QUEUED",
        "ONE_SUCCESS, FS, WAITING QUEUED",
        "ONE_SUCCESS, FK, WAITING SKIPPED",
        "ONE_FAILED, FS, QUEUED QUEUED",
        "ONE_FAILED, XS, QUEUED QUEUED",
        "ONE_FAILED, SK, WAITING SKIPPED",
        "NONE_FAILED, SK, WAITING QUEUED",
        "NONE_FAILED, KK, WAITING QUEUED",
        "NONE_FAILED, SF, WAITING SKIPPED",
        "ALL_FAILED, FX, WAITING QUEUED",
        "ALL_FAILED, FS, WAITING SKIPPED",
        "ALL_FAILED, KF, SKIPPED SKIPPED",
        "ALWAYS, FK, WAITING QUEUED",
    })
    void theRuleDecides(TriggerRule rule, String ends, String states) {
        var parents = new ArrayList<UUID>();
        for (var i = 0; i < ends.length(); i++) {
            parents.add(ends.charAt(i) == 'K' ? bed.child(TriggerRule.ALL_FAILED, bed.root()) : bed.root());
        }
        var child = bed.child(rule, parents.toArray(UUID[]::new));
        assertThat(bed.status(child)).isEqualTo("WAITING");

        var seen = new ArrayList<String>();
        for (var i = 0; i < parents.size(); i++) {
            var parent = parents.get(i);
            switch (ends.charAt(i)) {
                case 'S' -> end(parent, true);
                case 'F' -> end(parent, false);
                case 'X' -> {
                    assertThat(await(Stores.cancelling(db.database(), new CancelSignal())
                                    .cancel(parent, true)))
                            .isTrue();
                    bed.settle();
                }
                default -> end(onlyParent(parent), true);
            }
            seen.add(bed.status(child));
        }

        assertThat(String.join(" ", seen)).isEqualTo(states);
    }

    private static UUID onlyParent(UUID child) {
        return db.row("SELECT parent_id FROM job_edges WHERE child_id = $1", child)
                .getUUID("parent_id");
    }

    @Test
    void aSkipReachesAllDescendantsAndEachIsInTheHistoryWithAReason() {
        var root = bed.root();
        var chain = new ArrayList<>(List.of(root));
        for (var i = 0; i < 20; i++) {
            chain.add(bed.child(TriggerRule.ALL_SUCCESS, chain.getLast()));
        }

        end(root, false);

        assertThat(chain.subList(1, chain.size()))
                .allSatisfy(id -> assertThat(bed.status(id)).isEqualTo("SKIPPED"));
        assertThat(db.row("SELECT message FROM execution_logs WHERE execution_id = $1", chain.getLast())
                        .getString("message"))
                .isEqualTo("skipped: its trigger rule cannot hold, since of its parents 0 succeeded, 0 failed and 1"
                        + " were skipped");
    }

    @Test
    void aChildOfParentsThatHaveEndedRunsOrIsSkippedAtOnce() {
        var good = bed.root();
        var bad = bed.root();
        end(good, true);
        end(bad, false);

        var runs = DependencyBed.child(on(TriggerRule.ALL_SUCCESS, good));
        assertThat(bed.create(runs))
                .isInstanceOfSatisfying(
                        Result.Created.class,
                        created -> assertThat(created.status()).isEqualTo(ExecutionStatus.QUEUED));
        assertThat(bed.status(runs.id())).isEqualTo("QUEUED");
        var skipped = bed.child(TriggerRule.ALL_SUCCESS, good, bad);
        bed.settle();
        assertThat(bed.status(skipped)).isEqualTo("SKIPPED");
    }

    @Test
    void aParentThatIsUnknownOrAScheduleIsRefusedAndNothingIsStored() {
        var unknown = UUID.randomUUID();
        var child = DependencyBed.child(on(TriggerRule.ALL_SUCCESS, bed.root(), unknown));

        assertThat(bed.create(child)).isEqualTo(new Result.Refused(unknown, Result.Refused.Reason.MISSING));

        assertThat(db.number("SELECT count(*) FROM jobs WHERE job_id = $1", child.id()))
                .isZero();

        var schedule = bed.root();
        db.execute("UPDATE jobs SET trigger_type = 'CRON' WHERE job_id = $1", schedule);
        db.execute("DELETE FROM exec_live WHERE execution_id = $1", schedule);
        assertThat(bed.create(DependencyBed.child(on(TriggerRule.ALL_DONE, schedule))))
                .isEqualTo(new Result.Refused(schedule, Result.Refused.Reason.SCHEDULE));
        rows.clearJobs();
    }

    @Test
    void aDelayAndATimeToLiveCountFromTheMomentWhenTheChildIsReady() {
        var root = bed.root();
        var child = DependencyBed.plain()
                .delay(Duration.ofMinutes(5))
                .expiry(Expiry.ofTtl(Duration.ofMinutes(1)))
                .waitingFor(on(TriggerRule.ALL_SUCCESS, root))
                .made();
        var _ = bed.create(child);
        db.execute(
                "UPDATE exec_live SET created_at = now() - interval '1 hour', run_at = now() - interval '55 minutes'"
                        + " WHERE execution_id = $1",
                child.id());
        assertThat(db.row("SELECT expires_at FROM exec_live WHERE execution_id = $1", child.id())
                        .getValue("expires_at"))
                .isNull();

        end(root, true);

        assertThat(bed.status(child.id())).isEqualTo("PENDING");
        assertThat(db.number(
                        "SELECT count(*) FROM exec_live WHERE execution_id = $1 AND run_at = visible_at"
                                + " AND expires_at = run_at + interval '1 minute'"
                                + " AND run_at > now() + interval '270 seconds'"
                                + " AND run_at <= now() + interval '300 seconds'",
                        child.id()))
                .isEqualTo(1);
    }

    @Test
    void aChildThatIsMadeWhileItsParentRunsIsReleasedByTheEnd() {
        var root = bed.root();
        var claim = bed.claimed(root);
        assertThat(claim.hasChildren()).isFalse();
        var child = bed.child(TriggerRule.ALL_SUCCESS, root);

        bed.end(claim, true);
        bed.settle();

        var claimed = bed.claimed(child);
        assertThat(claimed.hasParents()).isTrue();
        bed.end(claimed, true);
    }

    @NeedsOwnServer("It looks at who waits for whom.")
    @Test
    void anEndWaitsForAnEdgeThatIsJustMadeAndIsCountedForIt() throws Exception {
        var first = bed.root();
        var second = bed.root();
        var child = bed.child(TriggerRule.ALL_SUCCESS, first);
        var claim = bed.claimed(second);
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run(Parents.MARK, (Object) new UUID[] {second});
            var _ = other.run("UPDATE exec_live SET parents_open = 2 WHERE execution_id = $1", child);
            var _ = other.run("INSERT INTO job_edges VALUES ($1, $2, 'second', false)", child, second);
            var ended =
                    other.blocks(bed.recorder.record(claim, claim.executionId(), new Transition.Fail(Rows.json("{}"))));
            other.commit();
            assertThat(ended.get()).isTrue();
        }
        bed.settle();
        assertThat(bed.status(child)).isEqualTo("SKIPPED");
    }

    @NeedsOwnServer("It looks at who waits for whom.")
    @Test
    void aChildThatIsMadeWhileItsParentEndsCountsTheEndItself() throws Exception {
        var root = bed.root();
        var child = DependencyBed.child(on(TriggerRule.ALL_SUCCESS, root));
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("DELETE FROM exec_live WHERE execution_id = $1", root);
            var _ = other.run(
                    "INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, started_at,"
                            + " completed_at, created_at) VALUES ($1, $1, 0, 'SUCCESS', 1, now(), now(), now(), now())",
                    root);
            var created = other.blocks(bed.creator.create(child));
            other.commit();
            assertThat(created.get())
                    .isInstanceOfSatisfying(
                            Result.Created.class, it -> assertThat(it.status()).isEqualTo(ExecutionStatus.QUEUED));
        }
        assertThat(db.row("SELECT ended FROM job_edges WHERE child_id = $1", child.id())
                        .getBoolean("ended"))
                .isTrue();
    }

    @Test
    void aChildWithAFlowKeyIsInNoLineUntilItIsReady() {
        var root = bed.root();
        var child = DependencyBed.plain()
                .endpoint("strict", 1)
                .flow(FlowKey.of("strict", "a"))
                .waitingFor(on(TriggerRule.ALL_SUCCESS, root))
                .made();
        var _ = bed.create(child);
        assertThat(bed.status(child.id())).isEqualTo("WAITING");
        assertThat(flowState(child.id())).isEqualTo(3);
        assertThat(db.number("SELECT count(*) FROM flow_limits WHERE lined")).isZero();

        end(root, true);

        assertThat(bed.status(child.id())).isEqualTo("QUEUED");
        assertThat(flowState(child.id())).isZero();
        rows.clearJobs();
    }

    private static int flowState(UUID id) {
        return db.row("SELECT flow_state FROM exec_live WHERE execution_id = $1", id)
                .getInteger("flow_state");
    }

    /** As where they are too many for one statement. */
    @Test
    void theEndOfAParentIsCountedForSomeChildrenAtATimeByManyProcessesAtOnce() {
        var parents = IntStream.range(0, 2).mapToObj(_ -> bed.root()).toList();
        var first = parents.getFirst();
        var children = IntStream.range(0, 25)
                .mapToObj(i -> i % 2 == 0
                        ? bed.child(TriggerRule.ALL_SUCCESS, first)
                        : bed.child(TriggerRule.ALL_SUCCESS, first, parents.getLast()))
                .toList();
        parents.forEach(parent -> bed.end(bed.claimed(parent), true, true));

        var released = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(i -> i < 5
                                ? bed.dependencyReleases.part(first, 4).map(Counted::released)
                                : new DependencyBed(db).dependencyReleases.release())
                        .toList())
                .andFailFast());
        bed.settle();

        assertThat(released.stream().mapToInt(Integer::intValue).sum()).isLessThanOrEqualTo(children.size());
        assertThat(children).allSatisfy(child -> assertThat(bed.status(child)).isEqualTo("QUEUED"));
        rows.clearJobs();
    }

    @NeedsOwnServer("A trigger makes statements fail.")
    @Test
    void afterFailuresMoreAndMoreChildrenAreCountedAtATimeAgain() {
        var process = new DependencyBed(db);
        var root = process.root();
        for (var i = 0; i < 250; i++) {
            var _ = process.child(TriggerRule.ALL_SUCCESS, root);
        }
        process.end(process.claimed(root), true, true);
        db.execute("UPDATE ended_parents SET in_parts = true");
        db.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$"
                + " BEGIN RAISE EXCEPTION 'refused'; END $$");
        db.execute("CREATE TRIGGER refusing BEFORE UPDATE ON job_edges FOR EACH STATEMENT EXECUTE FUNCTION refuse()");
        try {
            for (var children = 5_000; children > 100; children /= 2) {
                assertThatThrownBy(() -> await(process.dependencyReleases.release()))
                        .hasMessageContaining("refused");
            }
        } finally {
            db.execute("DROP FUNCTION refuse() CASCADE");
        }
        process.settle();

        assertThat(db.number(
                        "SELECT max(n) FROM (SELECT count(*) AS n FROM job_edges WHERE parent_id = $1"
                                + " GROUP BY xmin::text) AS transactions",
                        root))
                .as("children of the second transaction, after one of 100")
                .isEqualTo(110);
        rows.clearJobs();
    }

    /** As a run that starts closes its edges, and retention removes those of what has ended. */
    @NeedsOwnServer("It looks at who waits for whom.")
    @Test
    void anEdgeThatIsClosedMeanwhileIsNotTakenForTheEndOfAll() throws Exception {
        var root = bed.root();
        var children = IntStream.range(0, 10)
                .mapToObj(_ -> bed.child(TriggerRule.ALL_SUCCESS, root))
                .toList();
        bed.end(bed.claimed(root), true, true);
        try (var other = HeldTransaction.on(db)) {
            var _ = other.run("UPDATE job_edges SET ended = true WHERE child_id = $1", children.getFirst());
            var part = other.blocks(bed.dependencyReleases.part(root, 10));
            other.commit();
            assertThat(part.get().taken()).isEqualTo(10);
        }
        assertThat(db.number("SELECT count(*) FROM ended_parents")).isEqualTo(1);
        bed.settle();

        assertThat(children.subList(1, 10))
                .allSatisfy(child -> assertThat(bed.status(child)).isEqualTo("QUEUED"));
        rows.clearJobs();
    }

    @Test
    void whatIsCountedInPartsIsFinishedByAnother() {
        var root = bed.root();
        var children = IntStream.range(0, 5)
                .mapToObj(_ -> bed.child(TriggerRule.ALL_SUCCESS, root))
                .toList();
        bed.end(bed.claimed(root), true, true);
        db.execute("UPDATE ended_parents SET in_parts = true");

        bed.settle();

        assertThat(children).allSatisfy(child -> assertThat(bed.status(child)).isEqualTo("QUEUED"));
        assertThat(db.number("SELECT count(*) FROM job_edges WHERE parent_id = $1 AND NOT ended", root))
                .isZero();
        rows.clearJobs();
    }

    @Test
    void manyProcessesThatEndTheParentsOfAChildAtOnceReleaseItOnce() throws Exception {
        var processes =
                IntStream.range(0, 10).mapToObj(_ -> new DependencyBed(db)).toList();
        for (var round = 0; round < 20; round++) {
            var parents = IntStream.range(0, 10).mapToObj(_ -> bed.root()).toList();
            var child = bed.child(TriggerRule.ALL_SUCCESS, parents.toArray(UUID[]::new));
            var claims = bed.claim(10);
            try (var threads = Executors.newFixedThreadPool(10)) {
                var ends = IntStream.range(0, 10)
                        .mapToObj(i -> threads.submit(() -> {
                            processes.get(i).end(claims.get(i), true);
                            return await(processes.get(i).dependencyReleases.release());
                        }))
                        .toList();
                for (var end : ends) {
                    var _ = end.get();
                }
            }
            bed.settle();
            assertThat(bed.status(child)).isEqualTo("QUEUED");
            bed.end(bed.claimed(child), true);
        }
    }
}
