package io.taskexec.transfer;

import static io.taskexec.testing.TestDb.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.check.Probe;
import io.taskexec.check.Scope;
import io.taskexec.model.Finding;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.DueSignal;
import io.taskexec.store.ExportStore;
import io.taskexec.store.ExportStore.History;
import io.taskexec.store.ImportStore;
import io.taskexec.store.InvariantStore;
import io.taskexec.store.LeaseStore;
import io.taskexec.store.LedgerStore;
import io.taskexec.store.TransferException;
import io.taskexec.testing.Jdbc;
import io.taskexec.testing.TestDb;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransferTest {
    private static final String SCHEMA = "17";
    private static final KeyRing OTHER_KEY = KeyRing.parse(KeyRing.generate().replace("k1:", "new:"));
    private static final String WAITING = "0a000000-0000-7000-8000-000000000001";
    private static final String ENDED = "0b000000-0000-7000-8000-000000000001";

    /** Columns that are not to be what they were. */
    private static final Map<String, List<String>> CHANGED = Map.of(
            "exec_live", List.of("lease_token", "worker_id", "visible_at"),
            "event_positions", List.of("owner", "owned_until"),
            "event_outbox", List.of("write_id"),
            "secrets", List.of("encrypted_value"));

    private static TestDb source;
    private static TestDb target;
    private static String complete;

    @BeforeAll
    static void open() throws IOException {
        source = TestDb.fresh();
        target = TestDb.fresh();
        FullDatabase.fill(source);
        complete = export(new History.Everything(), Rekeying.between(FullDatabase.KEY, OTHER_KEY));
    }

    @AfterAll
    static void close() {
        source.close();
        target.close();
    }

    @BeforeEach
    void empty() {
        var tables = String.join(", ", tables());
        target.execute("TRUNCATE " + tables + ", imports");
        target.execute("INSERT INTO queues (queue_id, name) VALUES (0, 'default')");
        target.execute("INSERT INTO event_positions (name, position) VALUES ('log', 0), ('removed', 0)");
    }

    private static RowCount count() {
        return new RowCount((_, _) -> {});
    }

    private static String export(History history, Rekeying keys) throws IOException {
        var out = new ByteArrayOutputStream();
        new Exporter(new ExportStore(Jdbc.source(source))).export(SCHEMA, history, keys, out, count());
        return out.toString(UTF_8);
    }

    private static void read(String stream) throws IOException {
        read(stream, OTHER_KEY);
    }

    private static void read(String stream, KeyRing of) throws IOException {
        new Importer(new ImportStore(Jdbc.source(target)))
                .read(
                        SCHEMA,
                        Rekeying.between(of, OTHER_KEY),
                        new ByteArrayInputStream(stream.getBytes(UTF_8)),
                        count());
    }

    private static List<String> tables() {
        return source
                .rows("SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'"
                        + " AND table_name NOT IN ('flyway_schema_history', 'epochs', 'workers', 'region_heartbeats',"
                        + " 'region_status', 'sweeps', 'imports') ORDER BY 1")
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    /** The rows of all tables as texts, without the columns that are to change. */
    private static Map<String, List<String>> contents(TestDb db) {
        var contents = new TreeMap<String, List<String>>();
        for (var table : tables()) {
            var columns = db
                    .rows(
                            "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'public'"
                                    + " AND table_name = $1 ORDER BY ordinal_position",
                            table)
                    .stream()
                    .map(row -> row.getString(0))
                    .filter(column -> !CHANGED.getOrDefault(table, List.of()).contains(column))
                    .toList();
            var sql = "SELECT row_to_json(t)::text FROM (SELECT " + String.join(", ", columns) + " FROM " + table
                    + (table.equals("queues") ? " WHERE queue_id <> 0" : "") + ") AS t ORDER BY 1";
            // Of JSON, which has line breaks only between its tokens.
            contents.put(
                    table,
                    db.rows(sql).stream()
                            .map(row -> row.getString(0).replace('\n', ' '))
                            .toList());
        }
        return contents;
    }

    private static List<String> columnsWithoutValues(String table) {
        var none = new ArrayList<String>();
        source.rows("SELECT column_name::text FROM information_schema.columns WHERE table_name = $1", table)
                .forEach(row -> {
                    var column = row.getString(0);
                    if (source.number("SELECT count(" + column + ") FROM " + table) == 0) {
                        none.add(table + "." + column);
                    }
                });
        return none;
    }

    private static void assertNothingIsWrongIn(TestDb db) {
        var probe =
                new Probe(new InvariantStore(db.database(), () -> 24), new LedgerStore(db.database(), new DueSignal()));
        assertThat(await(probe.look(Scope.THOROUGH)))
                .filteredOn(finding -> finding.count() > 0)
                .filteredOn(Finding::isViolation)
                .isEmpty();
    }

    @Test
    void everyTableArrivesAsItWas() throws IOException {
        assertThat(tables())
                .allSatisfy(table -> assertThat(columnsWithoutValues(table)).isEmpty());

        read(complete);

        var expected = contents(source);
        // The attempt that was under way has ended, as far as anybody will know.
        var attempts = contents(target).getOrDefault("attempts", List.of()).stream()
                .filter(row -> row.contains("INTERRUPTED"))
                .toList();
        assertThat(attempts).singleElement().asString().contains("\"attempt_number\":2");
        var arrived = contents(target);
        arrived.put(
                "attempts",
                arrived.getOrDefault("attempts", List.of()).stream()
                        .filter(row -> !row.contains("INTERRUPTED"))
                        .toList());
        assertThat(arrived).containsExactlyEntriesOf(expected);
    }

    @Test
    void whatMustNotBeDeliveredTwiceIsNotBegunAgainElsewhere() throws IOException {
        source.execute("UPDATE endpoint_versions SET on_worker_lost = 'fail' WHERE name = 'a'");
        var export = export(new History.Everything(), Rekeying.between(FullDatabase.KEY, OTHER_KEY));
        source.execute("UPDATE endpoint_versions SET on_worker_lost = 'retry' WHERE name = 'a'");
        var underWay = source.row("SELECT execution_id, attempt FROM exec_live WHERE lease_token IS NOT NULL");

        read(export);

        var arrived = target.row(
                "SELECT attempt, rescues FROM exec_live WHERE execution_id = $1", underWay.getUUID("execution_id"));
        assertThat(arrived.getInteger("rescues")).isEqualTo(LeaseStore.NOT_RESCUED);
        // The claim that ends it counts the attempt that was under way.
        assertThat(arrived.getInteger("attempt")).isEqualTo(underWay.getInteger("attempt") - 1);
        assertThat(target.number("SELECT count(*) FROM exec_live WHERE rescues > 3"))
                .isEqualTo(1);
    }

    @Test
    void jsonKeepsEveryDigitAndEveryBlankButLineBreaks() throws IOException {
        read(complete);

        var input = "SELECT input::text FROM jobs WHERE job_id = '" + WAITING + "'";
        assertThat(target.row(input).getString(0))
                .isEqualTo(source.row(input).getString(0).replace('\n', ' '))
                .contains("1.50", "1e2");
        // JSON null is a value, and none is none.
        assertThat(target.row("SELECT input::text FROM jobs WHERE job_id = '" + ENDED + "'")
                        .getString(0))
                .isEqualTo("null");
        assertThat(target.number("SELECT count(*) FROM jobs WHERE input IS NULL"))
                .isOne();
    }

    @Test
    void secretsChangeTheirKeyAndAreNeverPlain() throws IOException {
        read(complete);

        assertThat(complete).doesNotContain("hunter2");
        target.rows("SELECT name, encrypted_value FROM secrets").forEach(row -> {
            var blob = row.getBuffer("encrypted_value").getDelegate().getBytes();
            assertThat(new SecretCipher(OTHER_KEY).decrypt(row.getString("name"), blob))
                    .isEqualTo(FullDatabase.SECRET + row.getString("name"));
        });
        assertThat(target.number("SELECT count(*) FROM secrets")).isEqualTo(2);
    }

    @Test
    void aKeyThatDoesNotOpenTheSecretsIsRefused() {
        assertThatThrownBy(() -> read(complete, FullDatabase.KEY))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("A secret cannot be taken along: secret 'other' cannot be read");
    }

    @Test
    void leasesAreDroppedAndTheirExecutionsClaimedAgain() throws IOException {
        read(complete);

        assertThat(target.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"))
                .isZero();
        // What waits goes on waiting.
        assertThat(target.number("SELECT count(*) FROM exec_live WHERE visible_at > now() + interval '23 hours'"))
                .isOne();
        var claims = await(new LeaseStore(target.database(), new DueSignal())
                .claim(new Integer[] {68}, 10, Duration.ofMinutes(1), UUID.randomUUID()));
        assertThat(claims).singleElement().satisfies(claim -> {
            assertThat(claim.attempt()).isEqualTo(3);
            assertThat(claim.endpoint()).isEqualTo("a");
        });
    }

    @Test
    void eventsKeepTheirOrderAndTheirNumbersGoOn() throws IOException {
        read(complete);

        assertThat(target.rows("SELECT attempt FROM event_outbox ORDER BY write_id").stream()
                        .map(row -> row.getInteger(0))
                        .toList())
                .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        assertThat(target.execute("INSERT INTO event_outbox (execution_id, job_id, kind, attempt)"
                        + " VALUES (gen_random_uuid(), gen_random_uuid(), 'CREATED', 0)"))
                .isOne();
        assertThat(target.number("SELECT position FROM event_positions WHERE name = 'log'"))
                .isEqualTo(2);
    }

    @Test
    void whatWasBrokenOffIsRunAgainAndNotMoreThanThat() throws IOException {
        var half = complete.substring(0, complete.length() * 3 / 4);

        assertThatThrownBy(() -> read(half))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("ends before its last line");
        assertThat(target.number("SELECT count(*) FROM endpoints")).isEqualTo(2);
        assertThatThrownBy(() -> read(export(new History.Everything(), Rekeying.none())))
                .hasMessageContaining("Another export was imported");
        read(complete);

        assertThat(contents(target).get("event_outbox"))
                .isEqualTo(contents(source).get("event_outbox"));
        assertThat(target.number("SELECT count(*) FROM exec_live")).isEqualTo(2);
        assertThatThrownBy(() -> read(complete)).hasMessageContaining("imported into this database already");
    }

    @Test
    void whatHasEndedSinceItWasWrittenDoesNotBeginAgain() throws IOException {
        var last = complete.lastIndexOf("{\"kind\":\"end\"");
        assertThatThrownBy(() -> read(complete.substring(0, last) + "{\"kind\":\"end\",\"rows\":{}}\n"))
                .hasMessageContaining("Rows are missing");
        assertThat(target.number("SELECT count(*) FROM exec_live")).isEqualTo(2);
        target.execute(
                "INSERT INTO executions (execution_id, job_id, lane, status, attempt_count, run_at, completed_at,"
                        + " created_at) SELECT execution_id, job_id, lane, 'FAILED', 2, now(), now(), now() FROM exec_live");
        target.execute("DELETE FROM exec_live");

        read(complete);

        assertThat(target.number("SELECT count(*) FROM exec_live")).isZero();
    }

    @Test
    void aDatabaseThatIsUsedIsLeftAlone() {
        target.execute("INSERT INTO configs VALUES ('mine', 1, now(), now())");

        assertThatThrownBy(() -> read(complete))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("not empty: there is something in 'configs'");
        assertThat(target.number("SELECT count(*) FROM imports")).isZero();
    }

    @Test
    void withoutHistoryOnlyWhatIsToComeArrivesAndNothingIsMissed() throws IOException {
        read(export(new History.Nothing(), Rekeying.between(FullDatabase.KEY, OTHER_KEY)));

        assertThat(target.rows("SELECT job_id::text FROM jobs ORDER BY 1").stream()
                        .map(row -> row.getString(0))
                        .toList())
                .containsExactly(WAITING, "0c000000-0000-7000-8000-000000000001");
        for (var table : List.of("executions", "ticks", "job_stats", "audit_log", "endpoint_events", "replays")) {
            assertThat(target.number("SELECT count(*) FROM " + table)).as(table).isZero();
        }
        assertThat(target.number("SELECT count(*) FROM attempts"))
                .as("of what is live")
                .isEqualTo(2);
        assertThat(target.number("SELECT count(*) FROM idempotency_keys")).isOne();
        assertThat(target.number("SELECT count(*) FROM operations")).isOne();
        assertNothingIsWrongIn(target);
    }

    @Test
    void historyIsCutOffWhereItIsToldTo() throws IOException {
        read(export(
                new History.Since(Instant.now().minus(Duration.ofDays(1))),
                Rekeying.between(FullDatabase.KEY, OTHER_KEY)));

        assertThat(target.rows("SELECT status FROM executions"))
                .singleElement()
                .satisfies(row -> assertThat(row.getString(0)).isEqualTo("FAILED"));
        assertThat(target.number("SELECT count(*) FROM ticks")).isOne();
        assertThat(target.number("SELECT count(*) FROM schedules WHERE ledger_from > now() - interval '25 hours'"))
                .isOne();
        assertThat(target.number("SELECT count(*) FROM jobs WHERE job_id = '" + ENDED + "'"))
                .isZero();
    }

    @Test
    void manyPagesAndManyBatchesLoseNothing() throws IOException {
        var more =
                "INSERT INTO audit_log SELECT gen_random_uuid(), now() - interval '1 year', 'many', 'a', 'k', repeat('x', n % 3000), 'r', 'a',"
                        + " NULL FROM generate_series(1, 5000) AS g(n)";
        assertThat(source.execute(more)).isEqualTo(5_000);
        try {
            read(export(new History.Everything(), Rekeying.between(FullDatabase.KEY, OTHER_KEY)));
            assertThat(contents(target).get("audit_log"))
                    .isEqualTo(contents(source).get("audit_log"));
        } finally {
            source.execute("DELETE FROM audit_log WHERE actor = 'many'");
        }
    }

    @Test
    void theDriverHoldsOnlyAFewOfManyLongRows() throws IOException {
        var more =
                "INSERT INTO audit_log SELECT gen_random_uuid(), now() - interval '1 year', 'long', 'a', 'k', repeat('x', 100000), 'r', 'a',"
                        + " NULL FROM generate_series(1, 100)";
        assertThat(source.execute(more)).isEqualTo(100);
        try {
            // All of the first page would be 10 MB.
            var bounded = new ExportStore(Jdbc.source(source, "maxResultBuffer=4M"));
            var lines = new ByteArrayOutputStream();
            new Exporter(bounded).export(SCHEMA, new History.Everything(), Rekeying.none(), lines, count());
            assertThat(lines.size()).isGreaterThan(10_000_000);
        } finally {
            source.execute("DELETE FROM audit_log WHERE actor = 'long'");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"kind":"jobs","row":{"colour":"red"}}          | 2 has a field that 'jobs' does not have: colour
            {"kind":"trains","row":{}}                      | 2 is of a kind that is not known: trains
            {"kind":"jobs","row":{"job_id":["x"]}}          | 2 is not one of an export
            {"kind":"jobs"}                                 | 2 is not one of an export
            {"kind":"jobs","row":{}                         | 2 is no JSON
            {"kind":"queues","row":{"queue_id":"x"}}        | 'queues' cannot be written
            {"kind":"end","rows":{"jobs":1}}                | Rows are missing
            """)
    void aLineThatIsNotOneOfOursIsToldByItsNumber(String line, String sentence) {
        var header = complete.substring(0, complete.indexOf('\n') + 1);

        assertThatThrownBy(() -> read(header + line + "\n{\"kind\":\"end\",\"rows\":{\"queues\":1}}\n"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void anotherSchemaAndAnotherFileAreRefused() {
        var older = Pattern.compile("\"schema\":\"17\"").matcher(complete).replaceFirst("\"schema\":\"16\"");

        assertThatThrownBy(() -> read(older))
                .hasMessageContaining("version 16 of the schema and the database has version 17");
        assertThatThrownBy(() -> read("PK zip")).hasMessageContaining("first line is not that of an export");
        assertThatThrownBy(() -> read("")).hasMessageContaining("first line is not that of an export");
    }
}
