import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;

/** How long `serve` takes from the command to its first answer on a database that has its tables. */
final class ReadyScenario implements Scenario {
    private static final int STARTS = 3;

    static final String PLAIN = "without an AOT cache, median of " + STARTS;
    static final String CACHED = "with the AOT cache of the build, median of " + STARTS;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("ready is left out: the program runs already.");
            return;
        }
        Program.verifyCache(session.options(), session.report(), "ready");
        // The first start makes the tables.
        session.service();
        session.stopPrograms();
        session.report().add("ready", PLAIN, median(session, "-XX:AOTMode=off"), "s");
        session.report().add("ready", CACHED, median(session, ""), "s");
    }

    private static double median(Session session, String javaOptions)
            throws IOException, InterruptedException, SQLException {
        double[] starts = new double[STARTS];
        for (int i = 0; i < STARTS; i++) {
            starts[i] = start(session, javaOptions);
        }
        Arrays.sort(starts);
        return starts[STARTS / 2];
    }

    private static double start(Session session, String javaOptions)
            throws IOException, InterruptedException, SQLException {
        Program program = Program.serve(
                session.options(),
                Roles.ALL_IN_ONE.processes().getFirst(),
                session.database().orElseThrow(),
                session.workspace().directory("ready.log"),
                Map.of(Program.JAVA_OPTIONS, javaOptions, "TE_MIGRATE_AT_START", "false"));
        double seconds = program.startSeconds();
        program.stop();
        return seconds;
    }
}
