package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.JobCreation.Outcome;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.Trigger;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creates, replaces and patches jobs on a real database. */
class JobCreationTest {
    private static final String ONCE =
            "{'endpoint': 'welcome', 'trigger': 'IMMEDIATE', 'idempotency_key': '%s', 'input': {'n': %d}}";
    private static final String DAILY =
            "{'endpoint': 'welcome', 'trigger': 'CRON', 'cron': '0 9 * * *', 'timezone': 'UTC', 'input': {'n': 1}}";

    @RegisterExtension
    private static final JobBed bed = new JobBed();

    @BeforeAll
    static void open() {
        bed.checkedEndpoint("checked");
    }

    private static Job scheduled(String body) {
        return ((Outcome.Stored) bed.create(body)).job();
    }

    @Test
    void aOneShotJobIsCreatedWithItsExecution() {
        var created = (Outcome.OneShot) bed.create(ONCE.formatted("a", 7));

        var stored = requireNonNull(await(bed.jobs.find(created.job().id())));
        assertThat(stored.endpoint()).isEqualTo("welcome");
        assertThat(stored.input()).hasToString("{\"n\":7}");
        assertThat(requireNonNull(stored.execution()).id()).isEqualTo(stored.id());
    }

    @Test
    void aJobThatIsDueIn99YearsIsThereAndIsNotClaimed() {
        var time =
                Instant.now().atOffset(ZoneOffset.UTC).plusYears(99).toInstant().truncatedTo(ChronoUnit.MICROS);
        var at = bed.create("{'endpoint': 'welcome', 'run_at': '%s', 'idempotency_key': 'far'}".formatted(time));
        var delayed = bed.create("{'endpoint': 'welcome', 'delay': 'P36000D', 'idempotency_key': 'wide'}");

        assertThat(await(bed.jobs.find(at.id()))).satisfies(job -> {
            assertThat(job.trigger()).isEqualTo(new Trigger.Delayed(time));
            assertThat(requireNonNull(job.execution()).status()).isEqualTo(ExecutionStatus.PENDING);
        });
        var later = requireNonNull(await(bed.jobs.find(delayed.id())));
        assertThat(later.trigger())
                .isInstanceOfSatisfying(
                        Trigger.Delayed.class,
                        trigger -> assertThat(trigger.runAt())
                                .isCloseTo(Instant.now().plus(Duration.ofDays(36_000)), within(1, ChronoUnit.MINUTES)));
        var lanes = Lanes.of(List.of(0));
        var leases = Stores.leases(bed.db.database());
        assertThat(await(leases.claim(lanes, 10, Duration.ofMinutes(1), UUID.randomUUID())))
                .isEmpty();
        assertThat(await(leases.untilNextDue(lanes))).isLessThanOrEqualTo(Duration.ofDays(1));
        assertThat(bed.create("{'endpoint': 'welcome', 'run_at': '%s', 'idempotency_key': 'far'}".formatted(time))
                        .created())
                .isFalse();
    }

    @Test
    void aTimeThatIsMoreThan100YearsAwayIsRefused() {
        var error = bed.refusal("{'endpoint': 'welcome', 'delay': 'P36526D', 'idempotency_key': 'a'}");

        assertThat(error.details().getFirst().message()).isEqualTo("must be within 100 years from now");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "'every': 'PT1H' | 2036-01-01T00:00:00.500900Z | 2036-01-01T00:00:00.500Z",
                "'cron': '0 * * * *', 'timezone': 'UTC' | 2036-01-01T00:00:00.000500Z | 2036-01-01T01:00:00Z"
            })
    void aStartBetweenTwoMillisecondsIsCutForAnIntervalAndKeptForACron(String times, String start, Instant first) {
        var job = scheduled("{'endpoint': 'welcome', %s, 'starts_at': '%s'}".formatted(times, start));

        var trigger = (Trigger.Scheduled) job.trigger();
        assertThat(trigger.state().nextRunAt()).isEqualTo(first);
        assertThat(trigger.policy().startsAt()).isBeforeOrEqualTo(first);
    }

    @Test
    void theSameRequestFindsTheJobAndAnotherOneWithItsKeyIsRefused() {
        var created = (Outcome.OneShot) bed.create(ONCE.formatted("a", 7));

        var again = (Outcome.Stored) bed.create(ONCE.formatted("a", 7));
        assertThat(again.created()).isFalse();
        assertThat(again.job().id()).isEqualTo(created.job().id());
        assertThat(bed.refusal(ONCE.formatted("a", 8)).code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_REUSED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            WITH v AS (UPDATE endpoint_versions SET payload_spec_ref = 'checked' WHERE name = $1) \
                UPDATE endpoints SET payload_spec_ref = 'checked' WHERE name = $1 | INPUT_VALIDATION_FAILED
            UPDATE endpoint_versions SET flow = '{"key": "{{input.m}}", "order": "any"}' WHERE name = $1 \
                | TEMPLATE_RESOLUTION_FAILED
            DELETE FROM endpoints WHERE name = $1 | ENDPOINT_NOT_FOUND
            """)
    void aRepeatedRequestFindsItsJobAlsoWhenItWouldBeRefusedByNow(String change, ErrorCode code) {
        var once = ONCE.replace("%d", "'%s'").replace("welcome", "changing");
        var schedule = once.formatted("every", "a").replace("'trigger': 'IMMEDIATE'", "'every': 'PT1H'");
        bed.rows.endpoint("changing").insert();
        try {
            var first = bed.create(once.formatted("once", "a"));
            var every = bed.create(schedule);
            bed.db.execute(change, "changing");
            bed.endpoints.forget("changing");

            var again = bed.create(once.formatted("once", "a"));

            assertThat(again.created()).isFalse();
            assertThat(again.id()).isEqualTo(first.id());
            assertThat(bed.create(schedule).id()).isEqualTo(every.id());
            assertThat(bed.refusal(once.formatted("other", "a")).code()).isEqualTo(code);
            assertThat(bed.refusal(once.formatted("once", "b")).code()).isEqualTo(code);
            assertThat(bed.refusal(once.formatted("once", "a").replace("'input'", "'on_conflict': 'replace', 'input'"))
                            .code())
                    .isEqualTo(code);
        } finally {
            bed.rows.clearJobs();
            bed.db.execute("DELETE FROM endpoints WHERE name = 'changing'");
            bed.db.execute("DELETE FROM endpoint_versions WHERE name = 'changing'");
            bed.endpoints.forget("changing");
        }
    }

    @Test
    void theOrderInWhichARequestNamesItsParentsMeansNothing() {
        var one = PublicId.JOB.show(bed.create(ONCE.formatted("one", 1)).id());
        var two = PublicId.JOB.show(bed.create(ONCE.formatted("two", 1)).id());
        var child = "{'endpoint': 'welcome', 'idempotency_key': 'child', 'depends_on': {'%s': '%s', '%s': '%s'}}";

        var first = bed.create(child.formatted("a", one, "b", two));
        var again = bed.create(child.formatted("b", two, "a", one));

        assertThat(again.created()).isFalse();
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(bed.refusal(child.formatted("a", two, "b", one)).code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_REUSED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'endpoint': 'welcome', 'retry_on':    | ['TIMEOUT', '404']
            'endpoint': 'welcome', 'no_retry_on': | ['5xx', '404']
            'target': {'url': 'http://a.test/', 'method': 'GET', 'expected_status_codes': [204, 200]}, 'tags': | []
            """)
    void theOrderOfWhatIsASetMeansNothing(String field, String elements) {
        var body = "{'idempotency_key': 'set', %s %s}";

        var first = bed.create(body.formatted(field, elements));
        var again = bed.create(body.formatted(field.replace("[204, 200]", "[200, 204]"), reversed(elements)));

        assertThat(again.created()).isFalse();
        assertThat(again.id()).isEqualTo(first.id());
    }

    private static String reversed(String elements) {
        return elements.replaceAll("\\[(.+), (.+)]", "[$2, $1]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'idempotency_key': 'a'", "'every': 'PT1H'"})
    void anInputWithoutTheFlowKeyOfItsEndpointIsRefusedWithItsPlaceInTheBatch(String trigger) {
        bed.rows.endpoint("keyed").insert();
        bed.db.execute("UPDATE endpoint_versions SET flow = $1::text::json WHERE name = 'keyed'", """
                {"key": "{{input.tenant}}", "max_concurrency": 1, "order": "any", "fair": false}""");
        try {
            var job = Rows.json("{'endpoint': 'keyed', 'input': {}, %s}".formatted(trigger));
            var second = Fields.of(job, BatchReferences.pointer(1), JobFields.NEW_JOB);

            var refusal = catchThrowableOfType(
                    ApiException.class,
                    () -> await(bed.creation.create(second, null, null, new CheckTime("", 0), false)));

            assertThat(refusal.code()).isEqualTo(ErrorCode.TEMPLATE_RESOLUTION_FAILED);
            assertThat(refusal.details())
                    .extracting(ApiException.Detail::pointer)
                    .containsExactly("/jobs/1/input");
        } finally {
            bed.db.execute("DELETE FROM endpoints WHERE name = 'keyed'");
            bed.db.execute("DELETE FROM endpoint_versions WHERE name = 'keyed'");
            bed.endpoints.forget("keyed");
        }
    }

    @Test
    void ofTenRequestsWithOneKeyAtOnceOneCreatesTheJob() {
        var all = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> bed.creating(ONCE.formatted("same", 1)))
                        .toList())
                .andFailFast());

        assertThat(all).filteredOn(Outcome::created).hasSize(1);
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    @Test
    void aDryRunCreatesNothing() {
        var fields = JobBed.fields(ONCE.formatted("a", 7));

        var tried = await(bed.creation.create(fields, null, null, new CheckTime("", 0), true));

        assertThat(tried.created()).isTrue();
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isZero();
    }

    @Test
    void anInputThatItsEndpointDoesNotAllowIsRefusedWithItsPlace() {
        var refusal = bed.refusal(
                "{'endpoint': 'checked', 'trigger': 'IMMEDIATE', 'idempotency_key': 'a', 'input': {'n': 'x'}}");

        assertThat(refusal.code()).isEqualTo(ErrorCode.INPUT_VALIDATION_FAILED);
        assertThat(refusal.details()).extracting(ApiException.Detail::pointer).containsExactly("/input/n");
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isZero();
    }

    @Test
    void aJobOfAnUnknownEndpointIsRefused() {
        var refusal = bed.refusal("{'endpoint': 'missing', 'trigger': 'IMMEDIATE', 'idempotency_key': 'a'}");

        assertThat(refusal.code()).isEqualTo(ErrorCode.ENDPOINT_NOT_FOUND);
    }

    @Test
    void aScheduleThatNeverFiresIsRefused() {
        var refusal = bed.refusal(DAILY.replace("'input'", "'ends_at': '2020-01-01T00:00:00Z', 'input'"));

        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_CRON);
    }

    @Test
    void aRepeatedRequestFindsItsScheduleAlsoWhenThatHasEnded() {
        var first = scheduled(DAILY.replace("'input'", "'idempotency_key': 'a', 'input'"));
        var over = DAILY.replace("'input'", "'idempotency_key': 'a', 'ends_at': '2020-01-01T00:00:00Z', 'input'");
        bed.db.execute(
                "UPDATE idempotency_keys SET fingerprint = $1",
                ScheduleRequest.read(JobBed.fields(over), TriggerKind.CRON, null)
                        .fingerprint());

        assertThat(bed.create(over).id()).isEqualTo(first.id());
    }

    @Test
    void aReplacedScheduleKeepsItsChainOfVersions() {
        var first = scheduled(DAILY);

        var second = await(bed.creation.replace(
                first, JobBed.fields("{'cron': '0 10 * * *', 'timezone': 'UTC'}"), null, new CheckTime("", 0), false));

        assertThat(second.version()).isEqualTo(2);
        assertThat(second.previousVersionId()).isEqualTo(first.id());
        assertThat(second.input()).isNull();
        assertThat(requireNonNull(await(bed.jobs.find(first.id()))).status()).isEqualTo(JobStatus.RETIRED);
    }

    @Test
    void aPatchKeepsOtherFieldsAndOneThatChangesNothingMakesNoVersion() {
        var first = scheduled(DAILY);

        var same = await(patched(first, "{\"cron\": \"0 9 * * *\"}"));
        var second = await(patched(first, "{\"cron\": \"0 10 * * *\"}"));

        assertThat(same.id()).isEqualTo(first.id());
        assertThat(second.version()).isEqualTo(2);
        assertThat(second.input()).hasToString("{\"n\":1}");
    }

    private static Uni<Job> patched(Job job, String patch) {
        var body = patch.getBytes(UTF_8);
        return bed.creation.patch(job, JobPatch.of(body), null, new CheckTime("", 0), false);
    }

    @Test
    void aVersionThatWasReplacedCannotBeReplacedAgain() {
        var first = scheduled(DAILY);
        var second = await(patched(first, "{\"cron\": \"0 10 * * *\"}"));

        var refusal =
                catchThrowableOfType(ApiException.class, () -> await(patched(first, "{\"cron\": \"0 11 * * *\"}")));

        assertThat(refusal.code()).isEqualTo(ErrorCode.JOB_NOT_UPDATABLE);
        assertThat(refusal.replacedById()).isEqualTo(PublicId.JOB.show(second.id()));
    }

    @Test
    void aOneShotJobCannotBeReplaced() {
        var created = (Outcome.OneShot) bed.create(ONCE.formatted("a", 7));
        var job = requireNonNull(await(bed.jobs.find(created.job().id())));

        var refusal = catchThrowableOfType(
                ApiException.class,
                () -> bed.creation.replace(job, JobBed.fields("{}"), null, new CheckTime("", 0), false));

        assertThat(refusal.code()).isEqualTo(ErrorCode.JOB_NOT_UPDATABLE);
    }
}
