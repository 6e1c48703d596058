import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** How soon after the answer a pause holds in all processes, and how a queue with a backlog begins again after it. */
final class FlowPauseScenario implements Scenario {
    private static final String NAME = "flow-pause";
    private static final String QUEUE = "paused";
    private static final int WORKERS = 2;
    private static final int SLOTS_USUALLY = 50;
    private static final int BACKLOG = 100_000;
    private static final int PAUSES = 10;
    private static final double FULL = 0.9;
    private static final Duration HOLD = Duration.ofMillis(50);
    private static final Duration RUNNING = Duration.ofSeconds(4);
    private static final Duration PAUSED = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(500);
    private static final Duration WATCHED = Duration.ofSeconds(20);
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final String NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

    private static final String LAST_START = """
            SELECT (extract(epoch FROM max(started_at)) * 1000000)::bigint FROM (
              SELECT started_at FROM exec_live
              UNION ALL SELECT started_at FROM executions
              UNION ALL SELECT started_at FROM attempts
            ) AS begun
            """;

    private static final String STARTED = "last start after the answer, max of " + PAUSES;
    private static final String ARRIVED = "last arrival after the answer, max of " + PAUSES;
    private static final String FIRST_SECOND = "calls in the open from 0.5 to 1 s after a resume";
    private static final String FULL_AFTER = "calls in the open 90 % of all slots after a resume";

    /** Milliseconds from the answer to a pause to what happened last, by two clocks; below zero if it was before. */
    private record Late(double start, double arrival) {
        static final Late NEVER = new Late(Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY);

        Late or(Late other) {
            return new Late(Math.max(start, other.start), Math.max(arrival, other.arrival));
        }
    }

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most("pause: last start after the answer", NAME, STARTED, 200),
                Wanted.most("pause: last arrival after the answer", NAME, ARRIVED, 200),
                Wanted.most("resume: calls in the open from 0.5 to 1 s, of all slots", NAME, FIRST_SECOND, 20),
                Wanted.least("resume: nearly all slots in use, not before", NAME, FULL_AFTER)
                        .bound(5),
                Wanted.most("resume: nearly all slots in use, not after", NAME, FULL_AFTER, 15));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.apiAndWorkers(WORKERS), Map.of());
        WarmUp.run(session, NAME);
        int backlog = session.options().flowPart(BACKLOG);
        var calls = new OpenCalls(HOLD);
        Delivery delivery = way(session, NAME, backlog, calls);
        delivery.createAll();
        Late late = pauseOften(session, delivery.api(), calls);
        session.report().add(NAME, STARTED, late.start(), "ms");
        session.report().add(NAME, ARRIVED, late.arrival(), "ms");
        // As many again as have come make the backlog whole.
        Delivery more =
                way(session, NAME + "-more", backlog - delivery.arrivals().missing(), calls);
        more.createAll();
        delivery.api().resumeQueue(QUEUE);
        watchStart(session, calls);
        Outcomes.await(session, delivery, LIMIT);
        Outcomes.await(session, more, LIMIT);
    }

    private static Delivery way(Session session, String name, int jobs, OpenCalls calls)
            throws IOException, InterruptedException, SQLException {
        return session.deliver(
                session.receiver().expect(name, jobs, Numbering.BODY, calls), EndpointJson.USUAL.queue(QUEUE));
    }

    /** Pauses and resumes the queue several times, and leaves it paused. */
    private static Late pauseOften(Session session, ApiClient api, OpenCalls calls)
            throws IOException, InterruptedException, SQLException {
        Late latest = Late.NEVER;
        try (var database = ProgramDatabase.open(session)) {
            for (int i = 0; i < PAUSES; i++) {
                if (i > 0) {
                    api.resumeQueue(QUEUE);
                }
                Thread.sleep(RUNNING);
                api.pauseQueue(QUEUE);
                long answeredNanos = System.nanoTime();
                long answeredMicros = database.number(NOW);
                Thread.sleep(PAUSED);
                latest = latest.or(new Late(
                        (database.number(LAST_START) - answeredMicros) / 1e3,
                        (calls.lastBeginNanos() - answeredNanos) / 1e6));
            }
        }
        return latest;
    }

    /** How many calls are open, step by step after a resume. */
    private static void watchStart(Session session, OpenCalls calls) throws InterruptedException {
        int slots = WORKERS * session.options().workerSlots().orElse(SLOTS_USUALLY);
        Report report = session.report();
        long beginNanos = System.nanoTime();
        double fullAfter = Double.NaN;
        double most = 0;
        for (int step = 1; step <= WATCHED.dividedBy(STEP); step++) {
            double open = calls.meanOver(STEP);
            if (step == 2) {
                report.add(NAME, FIRST_SECOND, 100 * open / slots, "%");
            }
            if (Double.isNaN(fullAfter) && open >= FULL * slots) {
                fullAfter = (System.nanoTime() - beginNanos) / 1e9;
            }
            most = Math.max(most, open);
        }
        report.add(NAME, FULL_AFTER, fullAfter, "s");
        report.add(NAME, "calls in the open, most over half a second", 100 * most / slots, "%");
    }
}
