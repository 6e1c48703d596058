import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What the tenants of an endpoint feel of one that has queued very many jobs, and what it costs to queue them. */
final class FlowFairScenario implements Scenario {
    private static final String NAME = "flow-fair";
    private static final String FAIR = "fair";
    private static final String KEPT = "kept";
    private static final String FLOW = "{\"key\":\"{{input.key}}\",\"max_concurrency\":25,\"fair\":true}";
    private static final int TENANTS = 99;
    private static final int JOBS_PER_TENANT = 100;
    private static final int FLOOD = 300_000;
    private static final int ROUNDS = 4;
    private static final Duration HOLD = Duration.ofMillis(20);
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** A queue that was paused gets all slots again within ten seconds. */
    private static final Duration AFTER_PAUSE = Duration.ofSeconds(12);

    private static final String ALONE = "wait of tenants p99, without a flood";
    private static final String BESIDE = "wait of tenants p99, beside a flood";
    private static final String PLAIN = "jobs created without keys";
    private static final String FLOODED = "jobs of the flood created";

    /** Jobs per second. */
    private record Creation(double plain, double flooded) {}

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most("wait of tenants beside a flood, p99, against without", NAME, BESIDE, 0)
                        .against(NAME, ALONE, 3),
                Wanted.least("creation of a flood, against jobs without keys", NAME, FLOODED)
                        .against(NAME, PLAIN, 0.8));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(1), Map.of());
        var api = new ApiClient(session.service());
        api.createQueue("{\"name\":\"" + KEPT + "\"}");
        api.pauseQueue(KEPT);
        int own = TENANTS * session.options().flowPart(JOBS_PER_TENANT);
        double first = waitP99(session, way(session, NAME + "-warm-up", own), own);
        double alone = waitP99(session, way(session, NAME + "-alone", own), own);
        api.pauseQueue(FAIR);
        int round = session.options().flowPart(FLOOD) / (1 + ROUNDS);
        int flood = (1 + ROUNDS) * round;
        Delivery flooded = way(session, NAME, own + flood).keys(n -> n < own ? 1 + n % TENANTS : 0);
        Delivery kept =
                session.deliver(session.receiver().expect(NAME + "-kept", flood), EndpointJson.USUAL.queue(KEPT));
        Creation creation = createByTurns(flooded, kept, own, round);
        session.server().settle(session.database().orElseThrow());
        api.resumeQueue(FAIR);
        Thread.sleep(AFTER_PAUSE);
        double beside = waitP99(session, flooded, own);
        int came = flooded.arrivals().moments(own, own + flood).count();
        Outcomes.giveUpRest(session, flooded);
        Outcomes.giveUpRest(session, kept);
        Report report = session.report();
        report.add(NAME, "wait of tenants p99, warm-up", first, "ms");
        report.add(NAME, ALONE, alone, "ms");
        report.add(NAME, BESIDE, beside, "ms");
        report.add(NAME, "jobs of the flood that came by then", came, "jobs");
        report.add(NAME, PLAIN, creation.plain(), "1/s");
        report.add(NAME, FLOODED, creation.flooded(), "1/s");
    }

    private static Delivery way(Session session, String name, int jobs)
            throws IOException, InterruptedException, SQLException {
        Arrivals arrivals = session.receiver().expect(name, jobs, Numbering.BODY, Reception.holding(HOLD));
        return session.deliver(arrivals, EndpointJson.USUAL.queue(FAIR).flow(FLOW))
                .keys(n -> 1 + n % TENANTS);
    }

    /** Creates the jobs of all tenants, the first ones of a delivery, and says how long after that they came. */
    private static double waitP99(Session session, Delivery delivery, int own)
            throws IOException, InterruptedException {
        LoadResult created = Batches.create(delivery.service(), own, delivery.jobs()::immediate);
        Arrivals arrivals = delivery.arrivals();
        if (!arrivals.awaitRange(0, own, LIMIT)) {
            int missing = own - arrivals.moments(0, own).count();
            session.report().problem(arrivals.scenario(), missing + " jobs of tenants did not come");
        }
        long[] starts = IntStream.range(0, own)
                .mapToLong(n -> created.startNanos()[n / Batches.SIZE])
                .toArray();
        return arrivals.after(starts, 0).millis(99);
    }

    /** Both sides by turns, after a round that does not count. */
    private static Creation createByTurns(Delivery flooded, Delivery kept, int own, int round) throws IOException {
        double plainSeconds = 0;
        double floodedSeconds = 0;
        for (int turn = 0; turn <= ROUNDS; turn++) {
            double plain = create(kept, turn * round, round);
            double keyed = create(flooded, own + turn * round, round);
            plainSeconds += turn == 0 ? 0 : plain;
            floodedSeconds += turn == 0 ? 0 : keyed;
        }
        return new Creation(ROUNDS * round / plainSeconds, ROUNDS * round / floodedSeconds);
    }

    /** Creates some jobs, and says in how many seconds. */
    private static double create(Delivery delivery, int from, int count) throws IOException {
        LoadResult created =
                Batches.create(delivery.service(), count, n -> delivery.jobs().immediate(from + n));
        return created.count() / created.perSecond();
    }
}
