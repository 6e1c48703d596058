import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/** As drain, with jobs of many flow keys that stay below their cap, against jobs without keys, by turns. */
final class KeyedScenario implements Scenario {
    private static final int KEYS = 1_000;
    private static final int ROUNDS = 3;

    static final String PLAIN = "jobs delivered without keys";
    static final String KEYED = "jobs delivered with " + KEYS + " keys";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int jobs = session.options().drainJobs();
        double created = Drain.warmUp(session, "keyed-warm-up", Drain.warmUpJobs(jobs));
        Drain.run(session, session.deliverKeyedTo("keyed-first-warm-up", jobs, KEYS), created);
        double[] plain = new double[ROUNDS];
        double[] keyed = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            plain[round] =
                    Drain.run(session, "keyed-without-" + round, jobs, created).delivered();
            keyed[round] = Drain.run(session, session.deliverKeyedTo("keyed-with-" + round, jobs, KEYS), created)
                    .delivered();
        }
        session.report().add("keyed", PLAIN, median(plain), "1/s");
        session.report().add("keyed", KEYED, median(keyed), "1/s");
        List<Double> ratios =
                IntStream.range(0, ROUNDS).mapToObj(n -> keyed[n] / plain[n]).toList();
        session.report().add("keyed", "with keys against without, median of " + ROUNDS, median(ratios), "");
    }

    private static double median(double[] values) {
        return median(IntStream.range(0, values.length).mapToObj(n -> values[n]).toList());
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
