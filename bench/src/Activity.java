import java.sql.SQLException;

/**
 * What a database server has done for one database, to be subtracted.
 *
 * @param statements executed in that database, whoever sent them
 * @param walBytes written by the whole server, where only one side works at a time
 */
record Activity(double statements, double walBytes) {
    static Activity of(DatabaseServer server, Database database) throws SQLException {
        Database asked = server.maintenance();
        return new Activity(
                asked.number("""
                        SELECT coalesce(sum(calls), 0) FROM pg_stat_statements(false) AS s
                        JOIN pg_database AS d ON d.oid = s.dbid WHERE d.datname = '%s' AND s.toplevel
                        """.formatted(database.name())),
                asked.number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"));
    }

    Activity since(Activity before) {
        return new Activity(statements - before.statements, walBytes - before.walBytes);
    }

    void report(Report report, String scenario, String what, int jobs) {
        report.add(scenario, "statements per job, " + what, statements / jobs, "");
        report.add(scenario, "WAL per job, " + what, walBytes / jobs, "bytes");
    }
}
