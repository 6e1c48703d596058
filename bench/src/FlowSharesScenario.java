import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Whether queues that all have a backlog get the parts of the claims that their weights say. */
final class FlowSharesScenario implements Scenario {
    private static final String NAME = "flow-shares";
    private static final int[] WEIGHTS = {6, 3, 1};
    private static final int JOBS = 20_000;
    private static final Duration HOLD = Duration.ofMillis(20);
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static final String FURTHEST = "furthest from the share by weight";

    @Override
    public List<Wanted> wanted() {
        return List.of(Wanted.most("shares 6:3:1, furthest from the weight", NAME, FURTHEST, 3));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(1), Map.of());
        WarmUp.run(session, NAME);
        List<Delivery> ways = ways(session);
        for (Delivery way : ways) {
            way.createAll();
        }
        long createdNanos = System.nanoTime();
        for (Delivery way : ways) {
            Outcomes.await(session, way, LIMIT);
        }
        report(
                session.report(),
                ways.stream().map(way -> way.arrivals().moments()).toList(),
                createdNanos);
    }

    private static List<Delivery> ways(Session session) throws IOException, InterruptedException, SQLException {
        int jobs = session.options().flowPart(JOBS);
        List<Delivery> ways = new ArrayList<>();
        for (int i = 0; i < WEIGHTS.length; i++) {
            new ApiClient(session.service())
                    .createQueue("{\"name\":\"%s\",\"weight\":%d}".formatted(queue(i), WEIGHTS[i]));
            Arrivals arrivals =
                    session.receiver().expect(NAME + "-" + WEIGHTS[i], jobs, Numbering.BODY, Reception.holding(HOLD));
            ways.add(session.deliver(arrivals, EndpointJson.USUAL.queue(queue(i))));
        }
        return ways;
    }

    /** While all had a backlog: from when it was created until the first has only a tenth left. */
    private static void report(Report report, List<Moments> queues, long from) {
        long to = queues.stream()
                .mapToLong(queue -> queue.sorted()[queue.count() * 9 / 10])
                .min()
                .orElseThrow();
        double[] arrived = queues.stream()
                .mapToDouble(queue -> queue.before(to) - queue.before(from))
                .toArray();
        double all =
                IntStream.range(0, arrived.length).mapToDouble(i -> arrived[i]).sum();
        double weights = IntStream.of(WEIGHTS).sum();
        double furthest = 0;
        for (int i = 0; i < arrived.length; i++) {
            double share = 100 * arrived[i] / all;
            furthest = Math.max(furthest, Math.abs(share - 100 * WEIGHTS[i] / weights));
            report.add(NAME, "share of the queue with weight " + WEIGHTS[i], share, "%");
        }
        report.add(NAME, FURTHEST, furthest, "points");
        report.add(NAME, "window", (to - from) / 1e9, "s");
    }

    private static String queue(int i) {
        return "weight-" + WEIGHTS[i];
    }
}
