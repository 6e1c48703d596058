import io.taskexec.model.Uuid7;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * Whether COPY would write jobs faster than the statement of the program, which gets an array for each column: both by
 * one connection, without the program. Only with the statement is a job refused that has the key of another one, or an
 * endpoint that has changed; it can also read what was copied into a temporary table.
 */
final class CopyScenario implements Scenario {
    private static final String NAME = "copy";
    private static final int JOBS = 100_000;
    private static final List<Integer> BATCHES = List.of(32, 256, 500);

    private static final String COPIED =
            "id, endpoint, version, spec_version, trigger_type, delay_ms, lane, key, fingerprint, input";

    /** What stands before and after the statement in its file. */
    private static final Pattern STATEMENT =
            Pattern.compile("PREPARE \\w+ \\(([^)]*)\\) AS\n(.*);\\s*$", Pattern.DOTALL);

    private static final Pattern ARRAYS = Pattern.compile("FROM unnest\\(.*?\\)\\s+AS asked", Pattern.DOTALL);

    /** A way to write jobs. */
    private interface Way {
        void write(Connection connection, List<UUID> ids) throws SQLException, IOException;
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        Database database = session.server().create(NAME);
        Program.migrate(session.options(), database, session.workspace().directory("migrate.log"));
        database.execute("""
                INSERT INTO endpoints (name, version, created_at, updated_at) VALUES ('copy', 1, now(), now())
                """);
        try (Connection connection = database.connect()) {
            prepare(connection);
            for (int batch : BATCHES) {
                measure(session, database, connection, "arrays", batch, CopyScenario::byArrays);
                measure(session, database, connection, "COPY into a temporary table", batch, CopyScenario::staged);
                measure(session, database, connection, "COPY into the tables", batch, CopyScenario::copied);
            }
        }
    }

    private static void measure(
            Session session, Database database, Connection connection, String what, int batch, Way way)
            throws IOException, InterruptedException, SQLException {
        write(connection, batch, JOBS / 5, way);
        session.server().settle(database);
        Activity before = Activity.of(session.server(), database);
        long begin = System.nanoTime();
        write(connection, batch, JOBS, way);
        double seconds = (System.nanoTime() - begin) / 1e9;
        String with = what + ", batches of " + batch;
        session.report().add(NAME, with, JOBS / seconds, "1/s");
        Activity.of(session.server(), database).since(before).report(session.report(), NAME, "with " + with, JOBS);
    }

    private static void write(Connection connection, int batch, int jobs, Way way) throws SQLException, IOException {
        for (int from = 0; from < jobs; from += batch) {
            way.write(
                    connection,
                    IntStream.range(from, Math.min(jobs, from + batch))
                            .mapToObj(_ -> Uuid7.next())
                            .toList());
        }
    }

    /** Makes the functions that run the statement, of arrays and of a temporary table. */
    private static void prepare(Connection connection) throws SQLException, IOException {
        Path root = Path.of(System.getProperty("bench.root", "."));
        var parts = STATEMENT.matcher(Files.readString(root.resolve("src/test/resources/sql/create_jobs.sql")));
        if (!parts.find()) {
            throw new IllegalStateException("create_jobs.sql has another form");
        }
        String sql = parts.group(2);
        String staged = ARRAYS.matcher(sql).replaceFirst("FROM staged AS asked");
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TEMPORARY TABLE staged (id uuid, endpoint text, version int, spec_version int,
                      trigger_type text, run_at timestamptz, delay_ms bigint, lane int, key text, fingerprint uuid,
                      input text, tags text, trace text) ON COMMIT DELETE ROWS
                    """);
            statement.execute(function("by_arrays", parts.group(1), sql));
            statement.execute(function("staged", "text[]", staged.replace("$2", "$1")));
        }
    }

    private static String function(String name, String parameters, String sql) {
        return """
                CREATE FUNCTION pg_temp.%s(%s) RETURNS TABLE (
                  job_id uuid, created_at timestamptz, run_at timestamptz, due boolean)
                LANGUAGE sql AS $function$
                %s
                $function$
                """.formatted(name, parameters, sql);
    }

    private static void byArrays(Connection connection, List<UUID> ids) throws SQLException {
        try (PreparedStatement create = connection.prepareStatement(
                "SELECT count(*) FROM pg_temp.by_arrays(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
            set(create, 1, "uuid", ids, id -> id);
            set(create, 2, "text", ids, _ -> NAME);
            set(create, 3, "int4", ids, _ -> 1);
            set(create, 4, "int4", ids, _ -> 0);
            set(create, 5, "text", ids, _ -> "IMMEDIATE");
            set(create, 6, "timestamptz", ids, _ -> null);
            set(create, 7, "int8", ids, _ -> 0L);
            set(create, 8, "int4", ids, _ -> 2);
            set(create, 9, "text", ids, UUID::toString);
            set(create, 10, "uuid", ids, id -> id);
            set(create, 11, "text", ids, CopyScenario::input);
            set(create, 12, "text", ids, _ -> null);
            set(create, 13, "text", ids, _ -> null);
            run(create, ids.size());
        }
    }

    private static void set(
            PreparedStatement statement, int parameter, String type, List<UUID> ids, Function<UUID, Object> value)
            throws SQLException {
        statement.setArray(
                parameter,
                statement
                        .getConnection()
                        .createArrayOf(type, ids.stream().map(value).toArray()));
    }

    private static void run(PreparedStatement create, int count) throws SQLException {
        try (var rows = create.executeQuery()) {
            rows.next();
            if (rows.getInt(1) != count) {
                throw new IllegalStateException(rows.getInt(1) + " of " + count + " jobs were created");
            }
        }
    }

    private static void staged(Connection connection, List<UUID> ids) throws SQLException, IOException {
        connection.setAutoCommit(false);
        copy(
                connection,
                "pg_temp.staged (" + COPIED + ")",
                ids,
                id -> "%1$s\tcopy\t1\t0\tIMMEDIATE\t0\t2\t%1$s\t%1$s\t%2$s\n".formatted(id, input(id)));
        try (PreparedStatement create = connection.prepareStatement("SELECT count(*) FROM pg_temp.staged('{copy}')")) {
            run(create, ids.size());
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static void copied(Connection connection, List<UUID> ids) throws SQLException, IOException {
        connection.setAutoCommit(false);
        copy(
                connection,
                "idempotency_keys (endpoint, idempotency_key, job_id, fingerprint, created_at)",
                ids,
                id -> "copy\t%1$s\t%1$s\t%1$s\tnow\n".formatted(id));
        copy(
                connection,
                "jobs (job_id, endpoint, endpoint_version, trigger_type, lane, idempotency_key, input, created_at)",
                ids,
                id -> "%1$s\tcopy\t1\tIMMEDIATE\t2\t%1$s\t%2$s\tnow\n".formatted(id, input(id)));
        copy(
                connection,
                "exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)",
                ids,
                id -> "%1$s\t%1$s\t2\tnow\tnow\tnow\n".formatted(id));
        connection.commit();
        connection.setAutoCommit(true);
    }

    private static void copy(Connection connection, String into, List<UUID> ids, Function<UUID, String> row)
            throws SQLException, IOException {
        CopyManager copies = connection.unwrap(PGConnection.class).getCopyAPI();
        String rows = ids.stream().map(row).collect(Collectors.joining());
        copies.copyIn("COPY " + into + " FROM STDIN", new StringReader(rows));
    }

    private static String input(UUID id) {
        return "{\"n\":\"" + id + "\"}";
    }
}
