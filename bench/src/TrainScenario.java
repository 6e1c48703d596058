import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;

/**
 * Makes the AOT cache that the launcher uses from then on: what a start loads and links, and which methods some work has
 * shown to be hot.
 */
final class TrainScenario implements Scenario {
    static final String JAVA_OPTIONS = "TASKEXEC_JAVA_OPTS";

    private static final int CREATED = 5_000;
    private static final int DRAINED = 50_000;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("train is left out: the program runs already.");
            return;
        }
        Path cache = session.options().program().resolveSibling("target").resolve("taskexec.aot");
        session.restart(Map.of(JAVA_OPTIONS, "-XX:AOTCacheOutput=" + cache));
        CreateScenario.create(session, "create-warm-up", CREATED);
        var _ = Drain.warmUp(session, "train-warm-up", DRAINED);
        // The cache is written when the program ends.
        session.stopPrograms();
    }
}
