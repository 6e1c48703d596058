package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.JobUpdates.Change;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.Trigger;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.dependency.DependencyStatement;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.PreconditionFailedException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes jobs on a real database. */
class JobUpdatesTest {
    private static final String LATER =
            "{'endpoint': 'welcome', 'trigger': 'DELAYED', 'idempotency_key': 'a', 'delay': 'PT1H', 'input': {'n': 1}}";
    private static final Precondition ANY = Precondition.NONE;

    @RegisterExtension
    private static final JobBed bed = new JobBed();

    @BeforeAll
    static void open() {
        bed.checkedEndpoint("checked");
    }

    private static Job created(String body) {
        return read(bed.create(body).id());
    }

    private static Job read(UUID id) {
        var job = await(bed.jobs.find(id));
        return requireNonNull(job);
    }

    private static Uni<Job> patching(Job job, String patch, Precondition condition, boolean dryRun) {
        var body = Rows.json(patch).toString().getBytes(UTF_8);
        return bed.updates.patch(job, new Change(JobPatch.of(body), condition, new CheckTime("", 0), dryRun), null);
    }

    private static Job patched(Job job, String patch) {
        return await(patching(job, patch, ANY, false));
    }

    private static ApiException refusal(Job job, String patch) {
        return catchThrowableOfType(ApiException.class, () -> patched(job, patch));
    }

    private static String live(String expression) {
        return bed.db
                .row("SELECT (" + expression + ")::text AS value FROM exec_live")
                .getString("value");
    }

    @Test
    void aPatchChangesWhatItNamesAndKeepsTheRest() {
        var job = created(LATER);

        var changed = patched(
                job, "{'run_at': '2031-01-01T00:00:00Z', 'priority': 1, 'tags': ['b', 'a'], 'input': {'m': 2}}");

        assertThat(changed.id()).isEqualTo(job.id());
        assertThat(changed.version()).isEqualTo(2);
        assertThat(changed.createdAt()).isEqualTo(job.createdAt());
        assertThat(changed.idempotencyKey()).isEqualTo("a");
        assertThat(changed.input()).hasToString("{\"n\":1,\"m\":2}");
        assertThat(changed.tags()).containsExactly("a", "b");
        assertThat(changed.priority()).isEqualTo(1);
        assertThat(live("run_at = '2031-01-01T00:00:00Z' AND visible_at = run_at AND revision = 2"))
                .isEqualTo("true");
        assertThat(live("lane & 7")).isEqualTo("1");
        assertThat(bed.db.number("SELECT count(*) FROM job_tags")).isEqualTo(2);
        assertThat(bed.db.number("SELECT count(*) FROM execution_logs WHERE message = 'changed: version 2'"))
                .isEqualTo(1);

        var next = patched(
                changed, "{'tags': ['c'], 'priority': null, 'input': null, 'expires_at': '2031-02-01T00:00:00Z'}");

        assertThat(next.version()).isEqualTo(3);
        assertThat(next.tags()).containsExactly("c");
        assertThat(next.priority()).isEqualTo(Lanes.DEFAULT_PRIORITY);
        assertThat(next.input()).isNull();
        assertThat(live("run_at = '2031-01-01T00:00:00Z' AND expires_at = '2031-02-01T00:00:00Z'"))
                .isEqualTo("true");
        assertThat(bed.db.number("SELECT count(*) FROM job_tags")).isEqualTo(1);
    }

    @Test
    void aJobThatComesIntoAnotherLaneMayHaveBeenDueForLong() {
        var job = created("{'endpoint': 'welcome', 'trigger': 'IMMEDIATE', 'idempotency_key': 'a'}");
        var before = bed.signal.lateCommits();

        var changed = patched(job, "{'tags': ['a']}");
        assertThat(bed.signal.lateCommits()).isEqualTo(before);

        var _ = patched(changed, "{'priority': 1}");
        assertThat(bed.signal.lateCommits()).isEqualTo(before + 1);
    }

    @Test
    void aDelayCountsFromThePatchAndNoTimeMeansNow() {
        var job = created(LATER);

        var sooner = patched(job, "{'delay': 'PT10M'}");

        assertThat(sooner.trigger().kind()).isEqualTo("DELAYED");
        assertThat(live("visible_at BETWEEN now() + interval '9 minutes' AND now() + interval '10 minutes'"))
                .isEqualTo("true");

        var now = patched(sooner, "{'run_at': null}");

        assertThat(now.trigger().kind()).isEqualTo("IMMEDIATE");
        assertThat(live("visible_at <= now()")).isEqualTo("true");
    }

    @Test
    void aPatchThatChangesNothingMakesNoVersion() {
        var job = created(LATER);

        assertThat(patched(job, "{'input': {'n': 1}, 'priority': 4}").version()).isEqualTo(1);
        assertThat(patched(job, "{}").version()).isEqualTo(1);
    }

    @Test
    void aPatchThatChangesNothingRestoresAScheduleThatWasSetAside() {
        var job = created("{'endpoint': 'welcome', 'trigger': 'INTERVAL', 'every': 'PT1H'}");

        assertThat(patched(job, "{}").id()).isEqualTo(job.id());

        var _ = bed.db.execute(
                "UPDATE schedules SET next_run_at = NULL, set_aside_reason = 'no place' WHERE job_id = $1", job.id());
        var restored = patched(read(job.id()), "{}");

        assertThat(restored.id()).isNotEqualTo(job.id());
        assertThat(restored.version()).isEqualTo(2);
        assertThat(((Trigger.Scheduled) restored.trigger()).state().nextRunAt()).isNotNull();
    }

    @Test
    void aDryRunChangesNothing() {
        var job = created(LATER);

        var tried = await(patching(job, "{'priority': 0}", ANY, true));

        assertThat(tried.priority()).isZero();
        assertThat(tried.version()).isEqualTo(2);
        assertThat(read(job.id()).version()).isEqualTo(1);
        assertThat(live("revision IS NULL")).isEqualTo("true");
    }

    @Test
    void aConditionOnAnotherVersionIsNotMet() {
        var job = created(LATER);

        assertThatThrownBy(() -> await(patching(job, "{'priority': 0}", (version, _) -> version == 7, false)))
                .isInstanceOf(PreconditionFailedException.class);
        assertThat(read(job.id()).version()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'endpoint': 'checked'} | /endpoint",
                "{'idempotency_key': 'b'} | /idempotency_key",
                "{'depends_on': []} | /depends_on",
                "{'on_conflict': 'replace'} | /on_conflict",
                "{'trigger': 'CRON'} | /trigger",
                "{'cron': '0 9 * * *'} | /cron",
                "{'priority': 9} | /priority",
                "{'run_at': 'soon'} | /run_at",
                "{'run_at': '2031-01-01T00:00:00Z', 'delay': 'PT1S'} | /run_at",
                "{'expires_at': '2020-01-01T00:00:00Z'} | /expires_at",
                "{'delay': 'P36000D', 'expires_at': '2099-01-01T00:00:00Z'} | /expires_at",
                "{'run_at': null, 'deadline': '2020-01-01T00:00:00Z'} | /deadline",
                "{'nothing': 1} | /nothing",
            })
    void whatAJobCannotBecomeIsRefusedAndChangesNothing(String patch, String pointer) {
        var job = created(LATER);

        var refusal = refusal(job, patch);

        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(refusal.details()).extracting(ApiException.Detail::pointer).contains(pointer);
        assertThat(read(job.id()).version()).isEqualTo(1);
    }

    @Test
    void anInputIsValidatedAgain() {
        var job = created("{'endpoint': 'checked', 'trigger': 'DELAYED', 'idempotency_key': 'c', 'delay': 'PT1H',"
                + " 'input': {'n': 1}}");

        assertThat(refusal(job, "{'input': {'n': 'x'}}").code()).isEqualTo(ErrorCode.INPUT_VALIDATION_FAILED);
        assertThat(refusal(job, "{'queue': 'missing'}").code()).isEqualTo(ErrorCode.INVALID_QUEUE_REF);
        assertThat(patched(job, "{'input': {'n': 2}}").input()).hasToString("{\"n\":2}");
    }

    @Test
    void aJobThatHasBegunIsRefusedWithItsState() {
        var job = created(LATER);
        var worker = bed.rows.worker(Duration.ZERO);
        bed.db.execute(
                "UPDATE exec_live SET attempt = 1, lease_token = 1, worker_id = $1, started_at = now(),"
                        + " visible_at = now() + interval '1 minute'",
                worker);

        assertThat(refusal(read(job.id()), "{'priority': 0}"))
                .hasMessage("The job has begun: its execution is RUNNING.")
                .returns(ErrorCode.JOB_NOT_UPDATABLE, ApiException::code);
        // Read before it began.
        assertThat(refusal(job, "{'priority': 0}").code()).isEqualTo(ErrorCode.JOB_NOT_UPDATABLE);

        bed.db.execute("UPDATE exec_live SET lease_token = NULL, failures = 1");
        assertThat(refusal(job, "{'priority': 0}")).hasMessageContaining("RETRYING");
    }

    @Test
    void aPatchThatWaitsForAnotherOneIsAppliedToItsResult() throws InterruptedException {
        var job = created(LATER);
        try (var other = HeldTransaction.on(bed.db)) {
            other.run("UPDATE jobs SET version = 2, input = '{\"n\": 5}' WHERE job_id = $1", job.id());

            var patching = other.blocks(patching(job, "{'input': {'m': 6}}", ANY, false));
            other.commit();

            assertThat(patching.join().input()).hasToString("{\"n\":5,\"m\":6}");
        }
        assertThat(read(job.id()).version()).isEqualTo(3);
    }

    @Test
    void aStartThatComesFirstIsWaitedForAndNoted() throws InterruptedException {
        var job = created(LATER);
        var worker = bed.rows.worker(Duration.ZERO);
        try (var start = HeldTransaction.on(bed.db)) {
            start.run(
                    "UPDATE exec_live SET attempt = 1, lease_token = 1, worker_id = $1, started_at = now(),"
                            + " visible_at = now() + interval '1 minute'",
                    worker);

            var patching = start.blocks(patching(job, "{'input': {'n': 6}}", ANY, false)
                    .onItem()
                    .transform(_ -> "changed")
                    .onFailure(ApiException.class)
                    .recoverWithItem("refused"));
            start.commit();

            assertThat(patching.join()).isEqualTo("refused");
        }
        assertThat(read(job.id()).input()).hasToString("{\"n\":1}");
    }

    @Test
    void aClaimThatHasSeenAnotherVersionReadsTheJobAgain() {
        var job = patched(created(LATER), "{'run_at': null, 'input': {'n': 2}}");
        // As if the claim had seen the version before, and the input with it.
        bed.db.execute("UPDATE exec_live SET revision = 3");

        var claims = await(Stores.leases(bed.db.database())
                .claim(
                        Lanes.of(List.of(Lanes.line((int) bed.db.number("SELECT lane FROM exec_live")))),
                        10,
                        Duration.ofMinutes(1),
                        UUID.randomUUID()));

        assertThat(claims).singleElement().satisfies(claim -> {
            assertThat(claim.jobId()).isEqualTo(job.id());
            assertThat(claim.input()).hasToString("{\"n\":2}");
        });
    }

    @Test
    void aJobThatWaitsForOthersKeepsWaiting() {
        var parent = created(LATER);
        var child = created("{'endpoint': 'welcome', 'trigger': 'IMMEDIATE', 'idempotency_key': 'child', 'depends_on':"
                + " {'first': 'job_" + parent.id().toString().replace("-", "")
                + "'}, 'input': {'got': '{{parents.first.output.n}}'}}");

        var changed = patched(child, "{'delay': 'PT5M', 'priority': 2, 'input': {'got': 'nothing'}}");

        assertThat(requireNonNull(changed.execution()).status()).hasToString("WAITING");
        assertThat(changed.priority()).isEqualTo(2);
        assertThat(requireNonNull(changed.dependencies()).parents()).hasSize(1);
        assertThat(bed.db.number(
                        "SELECT ready_delay_ms FROM exec_live WHERE execution_id = $1 AND visible_at = "
                                + DependencyStatement.WAITING_TIME,
                        child.id()))
                .isEqualTo(300_000);
        assertThat(refusal(child, "{'input': {'got': '{{parents.second.output}}'}}")
                        .code())
                .isEqualTo(ErrorCode.UNKNOWN_PARENT);
    }

    @Test
    void aJobRunsNowUnlessItHasBegun() {
        var job = created(LATER);

        var now = await(bed.updates.runNow(job));

        assertThat(requireNonNull(now.execution()).status()).hasToString("QUEUED");
        assertThat(await(bed.updates.runNow(now)).version()).isEqualTo(2);
    }

    @Test
    void aJobRunsNowByTheClockOfTheDatabase() {
        var job = created(LATER);
        ProgramClock.setAhead(Duration.ofDays(1));
        try {
            var _ = await(bed.updates.runNow(job));
        } finally {
            ProgramClock.setAhead(Duration.ZERO);
        }

        assertThat(live("run_at <= now() AND visible_at <= now()")).isEqualTo("true");
    }

    @Test
    void aJobWithoutATimeThatWasPutOffRunsNow() {
        var job = created("{'endpoint': 'welcome', 'trigger': 'IMMEDIATE', 'idempotency_key': 'a'}");
        var _ = bed.db.execute("UPDATE exec_live SET visible_at = now() + interval '1 hour'");

        var now = await(bed.updates.runNow(read(job.id())));

        assertThat(now.version()).isEqualTo(2);
        assertThat(live("visible_at <= now()")).isEqualTo("true");
    }
}
