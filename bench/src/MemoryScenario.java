import java.io.IOException;
import java.sql.SQLException;

/** The resident memory of the program and of its database, before and under the load. */
final class MemoryScenario implements Scenario {
    private static final double MEBIBYTE = 1024 * 1024;

    static final String PEAK = "program, most under drain";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("memory is left out: the program was not started here.");
            return;
        }
        session.service();
        add(session.report(), "idle", session.idleMemory().orElseThrow());
        if (session.options().scenarios().contains("drain")) {
            ProcessHandle program = session.programs().getFirst().process();
            add(
                    session.report(),
                    "after drain",
                    MemorySample.of(program, session.server().directory()));
            session.report().add("memory", PEAK, MemorySample.peak(program) / MEBIBYTE, "MiB");
        }
    }

    private static void add(Report report, String when, MemorySample sample) {
        report.add("memory", "program, " + when, sample.program() / MEBIBYTE, "MiB");
        report.add("memory", "database, " + when, sample.database() / MEBIBYTE, "MiB");
        report.add("memory", "database without doubles, " + when, sample.databaseShares() / MEBIBYTE, "MiB");
    }
}
