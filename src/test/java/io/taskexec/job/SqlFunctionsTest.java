package io.taskexec.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.PublicId;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.TestDb;
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions for applications do what the API does. */
@NeedsOwnServer("They are only for PostgreSQL.")
class SqlFunctionsTest {
    private static JobBed bed;

    @BeforeAll
    static void open() {
        bed = new JobBed();
        SqlFunctions.announceRegion(bed.db, false);
        bed.checkedEndpoint("checked");
        bed.rows.endpoint("tenants").insert();
        bed.rows.endpoint("own-limit").insert();
        bed.rows.endpoint("graph").insert();
        bed.rows.endpoint("pulled").insert();
        flow(
                "tenants",
                "{\"key\": \"t-{{input.tenant}}{{ input.list[1] }}\\\\{{x\", \"max_concurrency\": 1,"
                        + " \"order\": \"fifo\", \"fair\": false}",
                true);
        flow("own-limit", "{\"max_concurrency\": 5, \"order\": \"any\", \"fair\": false}", false);
        bed.db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKFLOW' WHERE name = 'graph'");
        bed.db.execute("UPDATE endpoint_versions SET endpoint_type = 'WORKER' WHERE name = 'pulled'");
        bed.db.execute("INSERT INTO queues (queue_id, name, pulled) VALUES (9, 'worker:pulled', true)");
        bed.db.execute("INSERT INTO queues (queue_id, name, ttl_ms) VALUES (7, 'mails', 60000)");
        bed.db.execute("INSERT INTO queues (queue_id, name, deleted_at) VALUES (8, 'gone', now())");
    }

    private static void flow(String endpoint, String policy, boolean fifo) {
        bed.db.execute("UPDATE endpoint_versions SET flow = $2::text::json WHERE name = $1", endpoint, policy);
        bed.rows.flowPolicy(endpoint, "max_concurrency, fifo", fifo ? "1, true" : "5, false");
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    @BeforeEach
    void clear() {
        bed.rows.clearJobs();
        bed.db.execute("DELETE FROM event_outbox");
    }

    private static String create(String arguments) {
        return SqlFunctions.create(bed.db, arguments);
    }

    /** All rows but for ids and the moment at which they were made. */
    private static final String WRITTEN = """
            SELECT jsonb_build_object(
              'job', to_jsonb(j) - '{job_id,created_at,input}'::text[], 'input', j.input::jsonb,
              'live', to_jsonb(l) - '{execution_id,job_id,created_at,visible_at,run_at,expires_at}'::text[],
              'visible', round(extract(epoch FROM l.visible_at - l.created_at)),
              'runs', round(extract(epoch FROM l.run_at - l.created_at)),
              'expires', round(extract(epoch FROM l.expires_at - l.created_at)),
              'key', to_jsonb(k) - '{job_id,created_at}'::text[],
              'ids', j.job_id = l.execution_id AND l.job_id = l.execution_id AND k.job_id = j.job_id,
              'tags', (SELECT array_agg(t.tag ORDER BY t.tag) FROM job_tags t WHERE t.job_id = j.job_id))::text
            FROM jobs j JOIN exec_live l ON l.job_id = j.job_id
            JOIN idempotency_keys k ON k.idempotency_key = j.idempotency_key
            """;

    static Stream<Arguments> requests() {
        return Stream.of(
                Arguments.of("{'endpoint': 'welcome', 'idempotency_key': 'k'}", "'welcome', 'k'"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'ä😀', 'input': {'b': [1.50, 'ä', null], 'a': {}}}",
                        "'welcome', 'ä😀', '{\"b\": [1.50, \"ä\", null], \"a\": {}}'"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'k', 'input': null, 'priority': 0}",
                        "'welcome', 'k', input => 'null', priority => 0"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'k', 'delay': 'PT1H30M0.25S', 'tags': ['b', 'a']}",
                        "'welcome', 'k', delay => '1 hour 30 minutes 0.25 seconds', tags => '{b,a}'"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'k', 'delay': 'P2D', 'ttl': 'PT0.5S'}",
                        "'welcome', 'k', delay => '2 days', ttl => '500 milliseconds'"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'k', 'delay': 'PT0S', 'deadline':"
                                + " '2099-01-01T00:00:00.5Z'}",
                        "'welcome', 'k', delay => '0', deadline => '2099-01-01T00:00:00.5Z'"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'k', 'run_at': '2090-03-15T18:00:00.123456Z',"
                                + " 'expires_at': '2099-01-01T01:00:00+01:00', 'deadline': '2099-06-01T00:00:00Z'}",
                        "'welcome', 'k', run_at => '2090-03-15T18:00:00.123456Z', expires_at =>"
                                + " '2099-01-01T00:00:00Z', deadline => '2099-06-01T00:00:00Z'"),
                Arguments.of(
                        "{'endpoint': 'welcome', 'idempotency_key': 'k', 'queue': 'mails'}",
                        "'welcome', 'k', queue => 'mails'"),
                Arguments.of(
                        "{'endpoint': 'own-limit', 'idempotency_key': 'k', 'priority': 6}",
                        "'own-limit', 'k', priority => 6"),
                Arguments.of(
                        "{'endpoint': 'tenants', 'idempotency_key': 'k', 'delay': 'PT1M',"
                                + " 'input': {'tenant': 'ö', 'list': [0, 12.50]}}",
                        "'tenants', 'k', '{\"tenant\": \"ö\", \"list\": [0, 12.50]}', delay => '1 minute'"),
                Arguments.of(
                        "{'endpoint': 'tenants', 'idempotency_key': 'k', 'delay': 'PT1M',"
                                + " 'input': {'tenant': -0.5, 'list': [0, -0.0]}}",
                        "'tenants', 'k', '{\"tenant\": -0.5, \"list\": [0, -0.0]}', delay => '1 minute'"));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aJobIsTheSameByTheFunctionAndByTheApi(String body, String arguments) {
        var _ = bed.create(body);
        var byApi = bed.db.row(WRITTEN).getString(0);
        bed.rows.clearJobs();

        var _ = create(arguments);

        assertThat(json(bed.db.row(WRITTEN).getString(0))).isEqualTo(json(byApi));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestThatIsRepeatedByTheOtherWayFindsItsJob(String body, String arguments) {
        var byApi = PublicId.JOB.show(bed.create(body).id());
        assertThat(create(arguments)).isEqualTo(byApi);
        bed.rows.clearJobs();

        var byFunction = create(arguments);
        assertThat(create(arguments)).isEqualTo(byFunction);
        assertThat(PublicId.JOB.show(bed.create(body).id())).isEqualTo(byFunction);
        assertThat(bed.db.number("SELECT count(*) FROM jobs")).isEqualTo(1);
    }

    private static JsonNode json(String text) {
        try {
            return Json.parse(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static void refused(String arguments, String state, @Nullable String code) {
        assertThatThrownBy(() -> create(arguments)).isInstanceOfSatisfying(PgException.class, e -> {
            assertThat(e.getSqlState()).as(e.getMessage()).isEqualTo(state);
            assertThat(e.getDetail()).isEqualTo(code);
        });
        assertThat(bed.db.number("SELECT count(*) FROM idempotency_keys WHERE idempotency_key = 'k'"))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null, 'k' | TX400 | INVALID_REQUEST",
                "'no/name', 'k' | TX400 | INVALID_REQUEST",
                "'welcome', '' | TX400 | INVALID_REQUEST",
                "'welcome', repeat('k', 256) | TX400 | INVALID_REQUEST",
                "'welcome', repeat('😀', 128) | TX400 | INVALID_REQUEST",
                "'welcome', 'k', priority => 8 | TX400 | INVALID_REQUEST",
                "'welcome', 'k', priority => -1 | TX400 | INVALID_REQUEST",
                "'welcome', 'k', run_at => now(), delay => '1 hour' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', run_at => now() + interval '36526 days' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', run_at => 'infinity' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', run_at => '-infinity' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', delay => '-1 second' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', delay => '1 month' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', delay => '36526 days' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', ttl => '0' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', ttl => '0.0001 seconds' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', ttl => '3661 days' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', ttl => '1 day', expires_at => '2099-01-01' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', expires_at => '2000-01-01' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', deadline => '2000-01-01' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', deadline => 'infinity' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', run_at => '2090-01-01', deadline => '2089-01-01' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', tags => '{a b}' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', tags => '{null}' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', tags => '{a,b,c,d,e,f,g,h,i,j,k}' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', '{\"a\": 1, \"a\": 2}' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', (repeat('[', 64) || repeat(']', 64))::json | TX400 | INVALID_REQUEST",
                "'welcome', 'k', repeat('1', 1001)::json | TX400 | INVALID_REQUEST",
                "'welcome', 'k', '1e1234567890' | TX400 | INVALID_REQUEST",
                "'welcome', 'k', ('\"' || repeat('x', 4194304) || '\"')::json | TX413 | PAYLOAD_TOO_LARGE",
                "'welcome', 'k', '{\"a\"' | 22P02 | The input string ended unexpectedly.",
                "'welcome', 'k', region => 'nowhere' | TX503 | UNAVAILABLE",
                "'unknown', 'k' | TX404 | ENDPOINT_NOT_FOUND",
                "'checked', 'k', '{\"n\": 1}' | TX501 | NOT_SUPPORTED",
                "'graph', 'k' | TX501 | NOT_SUPPORTED",
                "'welcome', 'k', queue => 'nowhere' | TX422 | INVALID_QUEUE_REF",
                "'welcome', 'k', queue => 'gone' | TX422 | INVALID_QUEUE_REF",
                "'welcome', 'k', queue => 'worker:pulled' | TX422 | INVALID_QUEUE_REF",
                "'pulled', 'k', queue => 'mails' | TX400 | INVALID_REQUEST",
                "'tenants', 'k' | TX422 | TEMPLATE_RESOLUTION_FAILED",
                "'tenants', 'k', '{\"tenant\": null, \"list\": [1,2]}' | TX422 | TEMPLATE_RESOLUTION_FAILED",
                "'tenants', 'k', '{\"tenant\": {}, \"list\": [1,2]}' | TX422 | TEMPLATE_RESOLUTION_FAILED",
                "'tenants', 'k', '{\"tenant\": 1e3, \"list\": [1,2]}' | TX422 | TEMPLATE_RESOLUTION_FAILED",
                "'tenants', 'k', json_build_object('tenant', repeat('x', 256), 'list', '[1,2]'::json)"
                        + " | TX422 | TEMPLATE_RESOLUTION_FAILED"
            })
    void whatTheApiRefusesTheFunctionRefusesAndChangesNothing(String refusal) {
        var parts = refusal.split(" \\| ", 3);
        refused(parts[0], parts[1], parts[2]);
    }

    @Test
    void inputAsDeepAsTheApiAllowsIsTaken() {
        assertThat(create("'welcome', 'deep', (repeat('[', 63) || repeat(']', 63))::json"))
                .startsWith("job_");
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        var _ = create("'welcome', 'used', '1'");

        assertThatThrownBy(() -> create("'welcome', 'used', '2'"))
                .isInstanceOfSatisfying(
                        PgException.class,
                        e -> assertThat(List.of(e.getSqlState(), String.valueOf(e.getDetail())))
                                .containsExactly("TX422", "IDEMPOTENCY_KEY_REUSED"));
    }

    @Test
    void aKeyThatHasExpiredIsFreeAgain() {
        var first = create("'welcome', 'old'");
        bed.rows.ageKey("old", Duration.ofHours(25));
        assertThat(create("'welcome', 'old'")).as("its job has not ended").isEqualTo(first);

        bed.db.execute("DELETE FROM exec_live");
        assertThat(SqlFunctions.status(bed.db, "welcome", "old")).isNull();
        assertThat(create("'welcome', 'old'")).isNotEqualTo(first);
    }

    @Test
    void idsAreInTheOrderOfTheCalls() {
        var ids = bed
                .db
                .rows("SELECT taskexec_api.create_job('welcome', 'n-' || n) AS id FROM generate_series(1, 500) AS g(n)")
                .stream()
                .map(row -> row.getString("id"))
                .toList();

        assertThat(ids).isSorted().doesNotHaveDuplicates();
        var id = UUID.fromString(ids.getFirst().replaceFirst("job_(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(Duration.ofMillis(System.currentTimeMillis() - (id.getMostSignificantBits() >>> 16)))
                .isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void eventsAreWrittenWhereProcessesWriteThem() {
        var _ = create("'welcome', 'silent'");
        assertThat(bed.db.number("SELECT count(*) FROM event_outbox")).isZero();

        SqlFunctions.announceRegion(bed.db, true);
        try {
            var _ = create("'welcome', 'told', delay => '1 hour'");
            assertThat(SqlFunctions.cancel(bed.db, "welcome", "told")).isTrue();
        } finally {
            SqlFunctions.announceRegion(bed.db, false);
        }
        assertThat(bed.db.rows("SELECT kind FROM event_outbox ORDER BY write_id"))
                .extracting(row -> row.getString("kind"))
                .containsExactly("CREATED", "CANCELLED");
    }

    @Test
    void theRegionMustBeNamedWhereThereAreSeveral() {
        bed.db.execute("INSERT INTO region_status (region, number, events, idempotency_key_ttl_ms)"
                + " VALUES ('west', 1, false, 1000)");
        try {
            refused("'welcome', 'k'", "TX400", "INVALID_REQUEST");
            var _ = create("'welcome', 'there', region => 'west'");
        } finally {
            bed.db.execute("DELETE FROM region_status WHERE region = 'west'");
        }
        var row = bed.db.row("SELECT region, lane FROM exec_live");
        assertThat(row.getString("region")).isEqualTo("west");
        assertThat(row.getInteger("lane")).isEqualTo(8 + 4);
    }

    @Test
    void aJobOfARegionThatWasForgottenIsFoundUntilItsKeyExpires() {
        bed.db.execute("INSERT INTO region_status (region, number, events, idempotency_key_ttl_ms)"
                + " VALUES ('west', 1, false, 86400000)");
        String id;
        try {
            id = create("'welcome', 'moved', region => 'west'");
        } finally {
            bed.db.execute("DELETE FROM region_status WHERE region = 'west'");
        }
        assertThat(bed.db.row("SELECT taskexec_api.cancel_job($1)", id).getBoolean(0))
                .isTrue();

        assertThat(SqlFunctions.status(bed.db, "welcome", "moved")).isEqualTo("CANCELLED");
        assertThat(create("'welcome', 'moved'")).isEqualTo(id);

        bed.rows.ageKey("moved", Duration.ofHours(25));
        assertThat(SqlFunctions.status(bed.db, "welcome", "moved")).isNull();
    }

    @Test
    void aJobIsFoundAndCancelledByItsKeyWhichIsFreeThen() {
        var id = create("'welcome', 'timer', delay => '1 hour'");
        assertThat(SqlFunctions.status(bed.db, "welcome", "timer")).isEqualTo("PENDING");

        assertThat(SqlFunctions.cancel(bed.db, "welcome", "timer")).isTrue();

        assertThat(SqlFunctions.cancel(bed.db, "welcome", "timer")).isFalse();
        assertThat(SqlFunctions.status(bed.db, "welcome", "timer")).isNull();
        assertThat(bed.db.row("SELECT status FROM executions").getString(0)).isEqualTo("CANCELLED");
        assertThat(create("'welcome', 'timer', delay => '2 hours'")).isNotEqualTo(id);
    }

    @Test
    void aJobIsCancelledByItsIdAndKeepsItsKey() {
        var id = create("'welcome', 'kept', delay => '1 hour'");

        assertThat(bed.db.row("SELECT taskexec_api.cancel_job($1)", id).getBoolean(0))
                .isTrue();

        assertThat(SqlFunctions.status(bed.db, "welcome", "kept")).isEqualTo("CANCELLED");
        assertThat(create("'welcome', 'kept', delay => '1 hour'")).isEqualTo(id);
        assertThatThrownBy(() -> bed.db.row("SELECT taskexec_api.cancel_job('7')"))
                .isInstanceOfSatisfying(
                        PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("TX400"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attempt = 1",
                "lease_token = 1, worker_id = gen_random_uuid(), started_at = now()",
                "has_children = true",
                "parents_open = 0, parents_succeeded = 1, parents_failed = 0, parents_skipped = 0",
                "flow_state = 2, flow_id = 1, flow_line = 1"
            })
    void whatHasBegunOrIsCountedByOthersIsNotCancelled(String state) {
        var _ = create("'welcome', 'begun', delay => '1 hour'");
        bed.db.execute("UPDATE exec_live SET " + state);

        assertThat(SqlFunctions.cancel(bed.db, "welcome", "begun")).isFalse();
        assertThat(SqlFunctions.status(bed.db, "welcome", "begun")).isNotNull();
    }

    @Test
    void anApplicationNeedsNothingButTheRightToCallThem() {
        var role = "app_" + UUID.randomUUID().toString().replace("-", "");
        bed.db.execute("CREATE ROLE " + role);
        try {
            assertThatThrownBy(() -> asRole(role, "SELECT taskexec_api.create_job('welcome', 'mine')"))
                    .isInstanceOfSatisfying(
                            PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("42501"));

            bed.db.execute("GRANT USAGE ON SCHEMA taskexec_api TO " + role);
            bed.db.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA taskexec_api TO " + role);
            asRole(role, "SELECT taskexec_api.create_job('welcome', 'mine', queue => 'mails', tags => '{a}')");
            asRole(role, "SELECT * FROM taskexec_api.find_job('welcome', 'mine')");
            asRole(role, "SELECT taskexec_api.cancel_job('welcome', 'mine')");
            for (var forbidden : List.of("jobs", "exec_live", "secrets", "endpoints")) {
                assertThatThrownBy(() -> asRole(role, "SELECT * FROM public." + forbidden))
                        .isInstanceOfSatisfying(
                                PgException.class,
                                e -> assertThat(e.getSqlState()).isEqualTo("42501"));
            }
        } finally {
            bed.db.execute("DROP OWNED BY " + role);
            bed.db.execute("DROP ROLE " + role);
        }
    }

    private static void asRole(String role, String sql) {
        var _ = TestDb.await(bed.db
                .pool()
                .withTransaction(transaction -> transaction
                        .query("SET LOCAL ROLE " + role)
                        .execute()
                        .chain(() -> transaction.query(sql).execute())));
    }

    @Test
    void theFunctionsRunWithTheFewRightsOfARoleOfTheirOwn() {
        assertThat(bed.db.rows("""
                        SELECT pg_get_userbyid(p.proowner) AS owner, p.proconfig::text AS settings, p.prosecdef
                        FROM pg_proc p WHERE p.pronamespace = 'taskexec_api'::regnamespace
                        """)).hasSize(4).allSatisfy(row -> {
            assertThat(row.getString("owner")).isEqualTo("taskexec_api");
            assertThat(row.getString("settings"))
                    .contains("search_path=public, pg_temp", "standard_conforming_strings=on");
            assertThat(row.getBoolean("prosecdef")).isTrue();
        });
        assertThat(bed.db.number("SELECT count(*) FROM pg_class c WHERE c.relkind = 'r' AND c.relname IN"
                        + " ('secrets', 'api_keys', 'audit_log', 'configs', 'config_versions')"
                        + " AND has_table_privilege('taskexec_api', c.oid, 'SELECT, INSERT, UPDATE, DELETE')"))
                .isZero();
    }
}
