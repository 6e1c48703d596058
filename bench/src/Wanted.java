import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A row of the table that says whether taskexec is as fast as it should be.
 *
 * @param what in words
 * @param measured the figure
 * @param reference what it is divided by, if it is a ratio that counts
 * @param most whether the bound is one from above
 * @param bound of the ratio, or of the figure when there is no reference
 */
record Wanted(String what, Figure measured, Optional<Figure> reference, boolean most, double bound) {
    /** Where a figure stands in the report. */
    record Figure(String scenario, String name) {}

    static List<Wanted> all(Options options) {
        boolean isFast = options.ratePerSecond() > 200;
        String p50 = LatencyScenario.p50(options);
        String p99 = LatencyScenario.p99(options);
        String workers = WorkersScenario.all(options);
        String connections = WorkersScenario.connections(options);
        List<Wanted> usual = List.of(
                least("drain to a local receiver, full history, against db-scheduler", "drain", DrainScenario.DELIVERED)
                        .against("db-scheduler", DbSchedulerScenario.DELIVERED, 3),
                least("drain to a local receiver, full history, against the floor", "drain", DrainScenario.DELIVERED)
                        .against("floor", DrainScenario.DELIVERED, 0.8),
                most(
                        "drain: processor time per job, of all processes",
                        "drain",
                        "processor time per job, to deliver",
                        45),
                least("create by POST /jobs", "create", CreateScenario.jobs(options))
                        .bound(18_000),
                most("create by POST /jobs, p99", "create", CreateScenario.p99(options), 6),
                least("create by POST /jobs, against inserts of db-scheduler", "create", CreateScenario.jobs(options))
                        .against("db-scheduler", DbSchedulerScenario.inserted(options), 1),
                least("create by POST /jobs/batch of 500", "batch", BatchScenario.CREATED)
                        .bound(50_000),
                most("POST to arrival, one process, p50", "latency", p50, isFast ? 10 : 1.5),
                most("POST to arrival, one process, p99", "latency", p99, isFast ? 15 : 5),
                most("POST to arrival, api and worker in two processes, p50", "roles", p50, isFast ? 10 : 2),
                most("POST to arrival, api and worker in two processes, p99", "roles", p99, isFast ? 15 : 6),
                most("lateness of delayed jobs, p99", "delayed", DelayedScenario.LATENESS_P99, 15),
                least("drain with a long history, against without", "history", HistoryScenario.AFTER)
                        .against("history", HistoryScenario.BEFORE, 0.9),
                most("claim with a large backlog, against a small one", "backlog", BacklogScenario.COST_OF_MANY, 0)
                        .against("backlog", BacklogScenario.COST_OF_FEW, 1.3),
                least(options.workers() + " worker processes against 1, receiver of 20 ms", "workers", workers)
                        .against("workers", WorkersScenario.ONE, 3.5),
                most("their connections to the database", "workers", connections, 3 * options.workers()),
                least("drain with flow keys below their cap, against without", "keyed", KeyedScenario.KEYED)
                        .against("keyed", KeyedScenario.PLAIN, 0.6),
                least("drain of chains of 5, against jobs that wait for none", "chains", ChainsScenario.CHAINED)
                        .against("chains", ChainsScenario.PLAIN, 0.6),
                most("idle, all roles: part of a core", "idle", IdleScenario.CORE, 1),
                most("idle, all roles: statements", "idle", IdleScenario.STATEMENTS, 5),
                most("resident memory, most under drain", "memory", MemoryScenario.PEAK, 300),
                most("start to ready with an AOT cache", "ready", ReadyScenario.CACHED, 1.5));
        return Stream.concat(
                        usual.stream(),
                        Scenario.all().values().stream().flatMap(scenario -> scenario.wanted().stream()))
                .toList();
    }

    static Wanted most(String what, String scenario, String name, double bound) {
        return new Wanted(what, new Figure(scenario, name), Optional.empty(), true, bound);
    }

    static Wanted least(String what, String scenario, String name) {
        return new Wanted(what, new Figure(scenario, name), Optional.empty(), false, 0);
    }

    Wanted against(String scenario, String name, double ratio) {
        return new Wanted(what, measured, Optional.of(new Figure(scenario, name)), most, ratio);
    }

    /** Of a figure that is compared with no other one. */
    Wanted bound(double value) {
        return new Wanted(what, measured, reference, most, value);
    }

    boolean isMet(double value, double ratio) {
        double judged = reference.isPresent() ? ratio : value;
        return most ? judged <= bound : judged >= bound;
    }

    String shownBound(String unit) {
        String number = String.format(Locale.ROOT, bound == Math.rint(bound) ? "%.0f" : "%s", bound);
        return (most ? "at most " : "at least ") + number + (reference.isPresent() ? " x" : " " + unit);
    }
}
