import java.io.IOException;
import java.sql.SQLException;
import java.util.stream.IntStream;

/** As drain, with jobs of which each waits for the one before it, five in a row, against jobs that wait for none, by turns. */
final class ChainsScenario implements Scenario {
    private static final int LENGTH = 5;
    private static final int ROUNDS = 3;

    static final String PLAIN = "jobs delivered that wait for none";
    static final String CHAINED = "jobs delivered in chains of " + LENGTH;

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        int jobs = session.options().drainJobs() / 2 / LENGTH * LENGTH;
        double created = Drain.warmUp(session, "chains-warm-up", Drain.warmUpJobs(jobs));
        // Creation in rounds, each of which waits for the one before, takes longer.
        double createdChained = created / LENGTH;
        Drain.run(session, chains(session, "chains-first-warm-up", jobs), createdChained);
        double[] plain = new double[ROUNDS];
        double[] chained = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            Drain without = Drain.run(session, "chains-without-" + round, jobs, created);
            Drain with = Drain.run(session, chains(session, "chains-with-" + round, jobs), createdChained);
            plain[round] = without.delivered();
            chained[round] = with.delivered();
            if (round == ROUNDS - 1) {
                report(session, "without", without, jobs);
                report(session, "in chains", with, jobs);
            }
        }
        session.report().add("chains", PLAIN, median(plain), "1/s");
        session.report().add("chains", CHAINED, median(chained), "1/s");
        double[] ratios = IntStream.range(0, ROUNDS)
                .mapToDouble(n -> chained[n] / plain[n])
                .toArray();
        session.report().add("chains", "in chains against without, median of " + ROUNDS, median(ratios), "");
    }

    private static void report(Session session, String which, Drain drain, int jobs) {
        drain.delivery()
                .ifPresent(activity -> activity.report(session.report(), "chains", "to deliver " + which, jobs));
    }

    private static Delivery chains(Session session, String name, int jobs)
            throws IOException, InterruptedException, SQLException {
        return session.deliverTo(name, jobs).chains(LENGTH);
    }

    private static double median(double[] values) {
        return IntStream.range(0, values.length)
                .mapToDouble(n -> values[n])
                .sorted()
                .toArray()[values.length / 2];
    }
}
