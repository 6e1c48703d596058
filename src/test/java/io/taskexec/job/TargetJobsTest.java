package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.job.JobCreation.Outcome;
import io.taskexec.model.job.Job;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.PageQuery;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.TargetStore;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creates jobs with targets on a real database. */
class TargetJobsTest {
    private static final String HIDDEN = "_target:https://example.org:443";
    private static final String ONCE = "{'target': {'url': 'https://example.org/%s'}, 'idempotency_key': '%s'}";
    private static final String HOURLY =
            "{'target': {'url': 'https://example.org/', 'headers': {'Authorization': 'a'}}, 'every': 'PT1H'}";

    @RegisterExtension
    private static final JobBed bed = new JobBed();

    private static final EndpointStore endpoints = new EndpointStore(bed.db.database());
    private static final TargetStore targets = new TargetStore(bed.db.database());

    private static Job stored(Outcome outcome) {
        var job = requireNonNull(await(bed.jobs.find(outcome.id())));
        return job;
    }

    private static void age() {
        bed.db.execute("UPDATE endpoints SET created_at = now() - interval '2 hours' WHERE name LIKE '\\_target:%'");
    }

    @Test
    void theJobHasItsTargetAndTheHiddenEndpointOfItsOrigin() {
        var job = stored(bed.create("""
                {'target': {'url': 'https://Example.org/a?q={{input.q}}', 'headers': {'Accept': 'x'},
                            'retry_policy': {'max_attempts': 3}}, 'idempotency_key': 'k', 'input': {'q': 1}}"""));

        assertThat(job.endpoint()).isEqualTo(HIDDEN);
        var target = requireNonNull(job.options().target());
        assertThat(target.spec().method()).isEqualTo("POST");
        assertThat(target.spec().headers()).containsEntry("Accept", "x");
        assertThat(target.retryPolicy().maxAttempts()).isEqualTo(3);
        assertThat(target.sendsInput()).isTrue();
    }

    @Test
    void theSameRequestFindsItsJobAndAnotherOneOfTheOriginIsRefused() {
        var first = bed.create(ONCE.formatted("a", "k"));

        assertThat(bed.create(ONCE.formatted("a", "k")).id()).isEqualTo(first.id());
        assertThat(bed.refusal(ONCE.formatted("b", "k")).code()).isEqualTo(ErrorCode.IDEMPOTENCY_KEY_REUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {ONCE, HOURLY})
    void aDryRunWritesNoHiddenEndpoint(String body) {
        var at = body.formatted("a", "k").replace("example.org", "tried.example.org");
        var hidden = "SELECT (SELECT count(*) FROM endpoints WHERE name LIKE '%tried.example.org%')"
                + " + (SELECT count(*) FROM endpoint_versions WHERE name LIKE '%tried.example.org%')";

        var tried = await(bed.creation.create(JobBed.fields(at), null, null, new CheckTime("", 0), true));

        assertThat(tried.created()).isTrue();
        assertThat(bed.db.number(hidden)).isZero();
        assertThat(bed.create(at).created()).isTrue();
        assertThat(await(bed.creation.create(JobBed.fields(at), null, null, new CheckTime("", 0), true))
                        .created())
                .isEqualTo(body.equals(HOURLY));
        bed.rows.clearJobs();
        age();
        assertThat(await(targets.removeUnused(100))).isPositive();
    }

    @Test
    void aHiddenEndpointIsNeitherListedNorNamedNorDeleted() {
        var _ = bed.create(ONCE.formatted("a", "k"));

        assertThat(await(endpoints.list(new PageQuery(100, null))).items())
                .extracting(endpoint -> endpoint.name())
                .doesNotContain(HIDDEN);
        assertThat(await(endpoints.findNamed(HIDDEN))).isNull();
        assertThat(await(endpoints.find(HIDDEN))).isNotNull();
        bed.rows.clearJobs();
        assertThat(await(endpoints.delete(HIDDEN, Precondition.NONE))).isFalse();
        assertThat(bed.refusal("{'endpoint': '" + HIDDEN + "', 'idempotency_key': 'k'}")
                        .details()
                        .getFirst()
                        .pointer())
                .isEqualTo("/endpoint");
    }

    @Test
    void aHiddenEndpointIsRemovedOnceNoJobHasItAndMadeAgain() {
        var _ = bed.create(ONCE.formatted("a", "k"));
        age();
        assertThat(await(targets.removeUnused(100))).isZero();

        bed.rows.clearJobs();
        assertThat(await(targets.removeUnused(100))).isEqualTo(1);
        assertThat(bed.db.number("SELECT count(*) FROM endpoint_versions WHERE name LIKE '\\_target:%'"))
                .isZero();

        assertThat(stored(bed.create(ONCE.formatted("a", "k"))).endpoint()).isEqualTo(HIDDEN);
    }

    @Test
    void aHiddenEndpointStaysWhileAJobIsBeingCreatedForIt() {
        var _ = bed.create(ONCE.formatted("a", "k"));
        bed.rows.clearJobs();
        age();
        try (var creating = HeldTransaction.on(bed.db)) {
            creating.run("SELECT name FROM endpoints WHERE name = $1::text FOR KEY SHARE", HIDDEN);

            assertThat(await(targets.removeUnused(100))).isZero();
        }
        assertThat(await(targets.removeUnused(100))).isEqualTo(1);
    }

    @Test
    void aJobWhoseHiddenEndpointIsBeingRemovedGetsANewOne() throws Exception {
        var _ = bed.create(ONCE.formatted("a", "k"));
        bed.rows.clearJobs();
        try (var removing = HeldTransaction.on(bed.db)) {
            removing.run("DELETE FROM endpoints WHERE name = $1::text", HIDDEN);
            removing.run("DELETE FROM endpoint_versions WHERE name = $1::text", HIDDEN);

            var job = removing.blocks(bed.creating(ONCE.formatted("b", "k")));
            removing.commit();

            assertThat(stored(job.get(10, TimeUnit.SECONDS)).endpoint()).isEqualTo(HIDDEN);
        }
    }

    @Test
    void anOriginTooManyIsRefusedAndThoseThatAreKnownGoOn() {
        var _ = bed.create(ONCE.formatted("a", "k"));
        bed.db.execute("""
                INSERT INTO endpoints (name, version, created_at, updated_at)
                SELECT '_target:http://h' || n || ':80', 1, now(), now() FROM generate_series(1, $1::int) AS s(n)
                """, TargetStore.MOST);
        try {
            var error = bed.refusal("{'target': {'url': 'https://other.example.org/'}, 'idempotency_key': 'k'}");

            assertThat(error.code()).isEqualTo(ErrorCode.CONFLICT);
            assertThat(error).hasMessageContaining("10,000 origins");
            assertThat(bed.create(ONCE.formatted("b", "k2")).created()).isTrue();
        } finally {
            age();
            bed.db.execute("DELETE FROM endpoints WHERE name LIKE '\\_target:http://h%'");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            'target': {'url': 'https://a/'}, 'endpoint': 'welcome' | /target | cannot be set together with 'endpoint'
            'input': 1 | /endpoint | or 'target', exactly one of them, is required
            'target': {} | /target/url | is required
            'target': {'url': 'ftp://a/'} | /target/url | must be an http or https URL with a host
            'target': {'url': 'https://me:pw@a/'} | /target/url | without user and password
            'target': {'url': 'https://forbidden/'} | /target/url | is not allowed: it is forbidden
            'target': {'url': 'https://a/{{secret.s}}'} | /target/url | must not use {{secret.s}}
            'target': {'url': 'https://a/', 'headers': {'A': '{{secret.s}}'}} | /target/headers/A | must not use
            'target': {'url': 'https://a/', 'body_template': {'a': ['{{config.c}}']}} | /target/body_template/a/0 | must
            'target': {'url': 'https://a/', 'signing': {'secrets': ['s']}} | /target/signing | is not a known field
            'target': {'url': 'https://a/', 'oauth2': {}} | /target/oauth2 | is not a known field
            'target': {'url': 'https://a/', 'tls': {}} | /target/tls | is not a known field
            'target': {'url': 'https://a/', 'headers': {'Cookie': '[redacted]'}} | /target/headers/Cookie | must be
            'target': {'url': 'https://a/', 'headers': {'Host': 'b'}} | /target/headers/Host | cannot be sent
            'target': {'url': 'https://a/', 'retry_policy': {'max_attempts': 0}} \
                | /target/retry_policy/max_attempts | must
            'target': 1 | /target | must be an object
            """)
    void aWrongTargetIsPointedAt(String fields, String pointer, String message) {
        var error = bed.refusal("{'idempotency_key': 'k', " + fields + "}");

        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(error.details()).anySatisfy(detail -> {
            assertThat(detail.pointer()).isEqualTo(pointer);
            assertThat(detail.message()).contains(message);
        });
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isZero();
    }

    @Test
    void aHostThatAJobDecidesIsRefused() {
        var error = bed.refusal("{'target': {'url': 'https://a{{input.host}}/'}, 'idempotency_key': 'k'}");

        assertThat(error.details().getFirst().pointer()).isEqualTo("/target/url");
    }

    @Test
    void aScheduleKeepsItsTargetWhenItIsChanged() {
        var job = ((Outcome.Stored) bed.create(HOURLY)).job();

        var patched = patched(job, "{'input': {'n': 1}, 'target': {'headers': {'Accept': 'x'}}}");

        assertThat(patched.version()).isEqualTo(2);
        assertThat(requireNonNull(patched.options().target()).spec().headers())
                .containsEntry("Authorization", "a")
                .containsEntry("Accept", "x");
        var fields = (ObjectNode) Rows.json("{'every': 'PT2H'}");
        var replaced = await(
                bed.creation.replace(patched, JobBed.fields(fields.toString()), null, new CheckTime("", 0), false));
        assertThat(replaced.options().target()).isEqualTo(patched.options().target());
    }

    private static Job patched(Job job, String patch) {
        var body = Rows.json(patch).toString().getBytes(StandardCharsets.UTF_8);
        return await(bed.creation.patch(job, JobPatch.of(body), null, new CheckTime("", 0), false));
    }
}
