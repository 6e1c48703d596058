import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/**
 * What has been done so far, to be subtracted.
 *
 * @param statements executed in that database, by all clients
 * @param walBytes written by the whole server, where only one side works at a time
 * @param processorSeconds of all processes: the server's, the program's and the load generator's, which cannot be told
 *     apart where the other side runs in it. Unlike a rate it hardly depends on what else the machine does.
 * @param allocatedBytes by the programs that were asked, up to their last garbage collection
 */
record Activity(double statements, double walBytes, double processorSeconds, double allocatedBytes) {
    static Activity of(DatabaseServer server, Database database)
            throws SQLException, IOException, InterruptedException {
        return of(server, database, List.of());
    }

    static Activity of(DatabaseServer server, Database database, List<Program> programs)
            throws SQLException, IOException, InterruptedException {
        double allocated = 0;
        for (Program program : programs) {
            allocated += Metrics.sum(program, "jvm_gc_memory_allocated_bytes_total");
        }
        Database asked = server.maintenance();
        return new Activity(
                asked.number("""
                        SELECT coalesce(sum(calls), 0) FROM pg_stat_statements(false) AS s
                        JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = '%s' AND s.toplevel
                        """.formatted(database.name())),
                asked.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"),
                processorSeconds(server),
                allocated);
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
                statements - before.statements,
                walBytes - before.walBytes,
                processorSeconds - before.processorSeconds,
                allocatedBytes - before.allocatedBytes);
    }

    void report(Report report, String scenario, String what, int jobs) {
        report.add(scenario, "statements per job, " + what, statements / jobs, "");
        report.add(scenario, "WAL per job, " + what, walBytes / jobs, "bytes");
        report.add(scenario, "processor time per job, " + what, processorSeconds * 1e6 / jobs, "us");
        if (allocatedBytes > 0) {
            report.add(scenario, "memory allocated per job, " + what, allocatedBytes / 1024 / jobs, "KiB");
        }
    }
}
