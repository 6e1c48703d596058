import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/** What the program costs when it has nothing to do. */
final class IdleScenario implements Scenario {
    private static final Duration SETTLE = Duration.ofSeconds(10);
    /** What runs once a minute is counted once. */
    private static final Duration WATCH = Duration.ofMinutes(1);

    static final String CORE = "part of a core";
    static final String STATEMENTS = "statements";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("idle is left out: the program was not started here.");
            return;
        }
        session.service();
        watch(session, "idle", CORE, STATEMENTS);
    }

    /** Reports what the program does at rest, under these names. */
    static void watch(Session session, String scenario, String core, String statements)
            throws IOException, InterruptedException, SQLException {
        ProcessHandle program = session.programs().getFirst().process();
        Database database = session.database().orElseThrow();
        Thread.sleep(SETTLE);
        Duration cpu = program.info().totalCpuDuration().orElseThrow();
        Activity before = Activity.of(session.server(), database);
        Thread.sleep(WATCH);
        Duration used = program.info().totalCpuDuration().orElseThrow().minus(cpu);
        Activity done = Activity.of(session.server(), database).since(before);
        session.report().add(scenario, core, 100.0 * used.toMillis() / WATCH.toMillis(), "%");
        session.report().add(scenario, statements, done.statements() / WATCH.toSeconds(), "1/s");
    }
}
