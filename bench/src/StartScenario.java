import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;

/** How long the program takes from the command to its first answer, with and without a database to create. */
final class StartScenario implements Scenario {
    private static final int WARM_STARTS = 3;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("start is left out: the program runs already.");
            return;
        }
        Path data = session.workspace().directory("start-data");
        Program cold = Program.dev(session.options(), data);
        session.report().add("start", "cold, new data directory", cold.startSeconds(), "s");
        double[] stops = new double[WARM_STARTS + 1];
        double[] starts = new double[WARM_STARTS];
        stops[WARM_STARTS] = cold.stop();
        for (int i = 0; i < WARM_STARTS; i++) {
            Program warm = Program.dev(session.options(), data);
            starts[i] = warm.startSeconds();
            stops[i] = warm.stop();
        }
        session.report().add("start", "warm, median of " + WARM_STARTS, median(starts), "s");
        session.report().add("start", "stop, median of " + stops.length, median(stops), "s");
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
