import java.io.IOException;

/** The resident memory of the program and of its database, before and after the load. */
final class MemoryScenario implements Scenario {
    private static final double MEBIBYTE = 1024 * 1024;

    @Override
    public void run(Session session) throws IOException, InterruptedException {
        if (session.options().url().isPresent()) {
            System.err.println("memory is left out: the program was not started here.");
            return;
        }
        session.service();
        add(session.report(), "idle", session.idleMemory().orElseThrow());
        if (session.options().scenarios().contains("drain")) {
            add(session.report(), "after drain", session.program().orElseThrow().memory());
        }
    }

    private static void add(Report report, String when, MemorySample sample) {
        report.add("memory", "program, " + when, sample.program() / MEBIBYTE, "MiB");
        report.add("memory", "database, " + when, sample.database() / MEBIBYTE, "MiB");
        report.add("memory", "database without doubles, " + when, sample.databaseShares() / MEBIBYTE, "MiB");
    }
}
