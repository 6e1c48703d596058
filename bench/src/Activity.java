import java.io.IOException;
import java.sql.SQLException;
import java.util.stream.Stream;

/**
 * What has been done so far, to be subtracted.
 *
 * @param statements executed in that database, by all clients
 * @param walBytes written by the whole server, where only one side works at a time
 * @param processorSeconds of all processes: the server's, the program's and the load generator's, which cannot be told
 *     apart where the other side runs in it. Unlike a rate it hardly depends on what else the machine does.
 */
record Activity(double statements, double walBytes, double processorSeconds) {
    static Activity of(DatabaseServer server, Database database) throws SQLException, IOException {
        Database asked = server.maintenance();
        return new Activity(
                asked.number("""
                        SELECT coalesce(sum(calls), 0) FROM pg_stat_statements(false) AS s
                        JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = '%s' AND s.toplevel
                        """.formatted(database.name())),
                asked.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"),
                processorSeconds(server));
    }

    private static double processorSeconds(DatabaseServer server) throws IOException {
        ProcessHandle self = ProcessHandle.current();
        return Stream.of(Stream.of(self), self.descendants(), DatabaseProcesses.in(server.directory()).stream())
                        .flatMap(each -> each)
                        .distinct()
                        .mapToLong(ProcessorTime::millis)
                        .sum()
                / 1e3;
    }

    Activity since(Activity before) {
        return new Activity(
                statements - before.statements, walBytes - before.walBytes, processorSeconds - before.processorSeconds);
    }

    void report(Report report, String scenario, String what, int jobs) {
        report.add(scenario, "statements per job, " + what, statements / jobs, "");
        report.add(scenario, "WAL per job, " + what, walBytes / jobs, "bytes");
        report.add(scenario, "processor time per job, " + what, processorSeconds * 1e6 / jobs, "us");
    }
}
