import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** How near workers come, without being told, to the best limit for a receiver that refuses what it cannot take. */
final class FlowAdaptiveScenario implements Scenario {
    private static final String NAME = "flow-adaptive";
    private static final int CAPACITY = 20;
    private static final int[] FIXED = {18, 20, 22, 24};
    private static final Duration HOLD = Duration.ofMillis(50);
    private static final int JOBS = 10_000;
    private static final int BEGINNING_MILLIS = 10_000;
    private static final int WHOLE_MILLIS = 30_000;
    private static final int WORKERS_MOST = 2;
    private static final int RETRIES = 1_000;
    private static final int RETRY_MILLIS = 200;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(20);

    /** Until so much of the backlog is left, it counts as one. */
    private static final double REST = 0.05;

    private static final String BEST_FIXED = "jobs delivered with the best fixed limit";

    /**
     * One backlog after the beginning.
     *
     * @param perSecond calls that were taken
     * @param refusedPercent the part of all calls that were refused
     * @param claims for each call that was made, also when it was refused, from the start until all jobs have ended
     */
    private record Run(double perSecond, double refusedPercent, double claims) {}

    private static String delivered(int workers) {
        return "jobs delivered without a limit, workers: " + workers;
    }

    private static String refused(int workers) {
        return "refused calls without a limit, workers: " + workers;
    }

    private static String claims(int workers) {
        return "claims per call without a limit, workers: " + workers;
    }

    @Override
    public List<Wanted> wanted() {
        return IntStream.rangeClosed(1, WORKERS_MOST)
                .mapToObj(FlowAdaptiveScenario::wanted)
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        Report report = session.report();
        double best = 0;
        for (int limit : FIXED) {
            Run fixed = drain(session, "-fixed-" + limit, 1, "{\"max_concurrency\":" + limit + "}");
            report.add(NAME, "jobs delivered with the fixed limit " + limit, fixed.perSecond(), "1/s");
            report.add(NAME, "refused calls with the fixed limit " + limit, fixed.refusedPercent(), "%");
            best = Math.max(best, fixed.perSecond());
        }
        report.add(NAME, BEST_FIXED, best, "1/s");
        for (int workers = 1; workers <= WORKERS_MOST; workers++) {
            Run free = drain(session, "-" + workers, workers, "");
            report.add(NAME, delivered(workers), free.perSecond(), "1/s");
            report.add(NAME, refused(workers), free.refusedPercent(), "%");
            report.add(NAME, claims(workers), free.claims(), "");
        }
    }

    private static List<Wanted> wanted(int workers) {
        String what = "receiver that takes 20 calls, workers " + workers + ": ";
        return List.of(
                Wanted.most(what + "refused", NAME, refused(workers), 2),
                Wanted.least(what + "against the best limit", NAME, delivered(workers))
                        .against(NAME, BEST_FIXED, 0.85),
                Wanted.most(what + "claims per call", NAME, claims(workers), 2));
    }

    private static Run drain(Session session, String name, int workers, String flow)
            throws IOException, InterruptedException, SQLException {
        session.runApart(Roles.apiAndWorkers(workers), Map.of());
        var reception = new LimitedReception(CAPACITY, HOLD);
        Arrivals arrivals =
                session.receiver().expect(NAME + name, session.options().flowPart(JOBS), Numbering.BODY, reception);
        // What is refused comes again; whether what was taken does is looked at below.
        arrivals.mayComeAgain(Integer.MAX_VALUE);
        Delivery delivery = session.deliver(
                arrivals, EndpointJson.USUAL.attempts(RETRIES, RETRY_MILLIS).flow(flow));
        delivery.createAll();
        Run run = watch(session, reception, delivery);
        if (reception.counts().again() > 0) {
            session.report()
                    .problem(arrivals.scenario(), reception.counts().again() + " jobs came again that were taken");
        }
        return run;
    }

    private static Run watch(Session session, LimitedReception reception, Delivery delivery)
            throws IOException, InterruptedException, SQLException {
        int jobs = delivery.arrivals().count();
        long beginNanos = System.nanoTime();
        Thread.sleep(session.options().flowPart(BEGINNING_MILLIS));
        LimitedReception.Counts before = reception.counts();
        long fromNanos = System.nanoTime();
        long untilNanos = beginNanos
                + Duration.ofMillis(session.options().flowPart(WHOLE_MILLIS)).toNanos();
        while (System.nanoTime() < untilNanos && reception.counts().taken() < (1 - REST) * jobs) {
            Thread.sleep(POLL);
        }
        LimitedReception.Counts counts = reception.counts().since(before);
        double perSecond = counts.taken() * 1e9 / (System.nanoTime() - fromNanos);
        Outcomes.await(session, delivery, LIMIT);
        return new Run(
                perSecond,
                counts.refusedPercent(),
                claims(session) / reception.counts().all());
    }

    private static double claims(Session session) throws IOException, InterruptedException {
        double claims = 0;
        for (Program program : session.programs()) {
            claims += Metrics.sum(program, "taskexec_pickup_latency_seconds_count");
        }
        return claims;
    }
}
