import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * A row of the table that says whether taskexec is as fast as it should be.
 *
 * @param what in words
 * @param measured the figure
 * @param reference what it is divided by, if it is a ratio that counts
 * @param most whether the bound is one from above
 * @param bound of the ratio, or of the figure when there is no reference
 * @param orAtLeast a figure that is enough by itself, whatever the ratio
 */
record Wanted(
        String what,
        Figure measured,
        Optional<Figure> reference,
        boolean most,
        double bound,
        OptionalDouble orAtLeast) {
    /** Where a figure stands in the report. */
    record Figure(String scenario, String name) {}

    static List<Wanted> all(Options options) {
        String p50 = LatencyScenario.p50(options);
        String p99 = LatencyScenario.p99(options);
        List<Wanted> usual = List.of(
                least("drain to a local receiver, full history, against db-scheduler", "drain", DrainScenario.DELIVERED)
                        .against("db-scheduler", DbSchedulerScenario.DELIVERED, 4),
                least("create by POST /jobs, against inserts of db-scheduler", "create", CreateScenario.jobs(options))
                        .against("db-scheduler", DbSchedulerScenario.INSERTED, 1),
                least("create by POST /jobs/batch of 500, against single ones", "batch", BatchScenario.CREATED)
                        .against("create", CreateScenario.jobs(options), 4)
                        .orAtLeast(25_000),
                most("POST to arrival, one process, p50", "latency", p50, 3),
                most("POST to arrival, one process, p99", "latency", p99, 12),
                most("POST to arrival, api and worker in two processes, p50", "roles", p50, 6),
                most("POST to arrival, api and worker in two processes, p99", "roles", p99, 20),
                most("lateness of delayed jobs, p99", "delayed", DelayedScenario.LATENESS_P99, 15),
                least("drain with a long history, against without", "history", HistoryScenario.AFTER)
                        .against("history", HistoryScenario.BEFORE, 0.85),
                most("claim with a large backlog, against a small one", "backlog", BacklogScenario.COST_OF_MANY, 0)
                        .against("backlog", BacklogScenario.COST_OF_FEW, 1.3),
                least("4 worker processes against 1, receiver of 20 ms", "workers", WorkersScenario.ALL)
                        .against("workers", WorkersScenario.ONE, 3.5),
                least("drain with flow keys below their cap, against without", "keyed", KeyedScenario.KEYED)
                        .against("keyed", KeyedScenario.PLAIN, 0.6),
                least("drain of chains of 5, against jobs that wait for none", "chains", ChainsScenario.CHAINED)
                        .against("chains", ChainsScenario.PLAIN, 0.6),
                most("idle, all roles: part of a core", "idle", IdleScenario.CORE, 1),
                most("idle, all roles: statements", "idle", IdleScenario.STATEMENTS, 5),
                most("resident memory, most under drain", "memory", MemoryScenario.PEAK, 350),
                most("start to ready with an AOT cache", "ready", ReadyScenario.CACHED, 1.5));
        return Stream.concat(
                        usual.stream(),
                        Scenario.all().values().stream().flatMap(scenario -> scenario.wanted().stream()))
                .toList();
    }

    static Wanted most(String what, String scenario, String name, double bound) {
        return new Wanted(what, new Figure(scenario, name), Optional.empty(), true, bound, OptionalDouble.empty());
    }

    static Wanted least(String what, String scenario, String name) {
        return new Wanted(what, new Figure(scenario, name), Optional.empty(), false, 0, OptionalDouble.empty());
    }

    Wanted against(String scenario, String name, double ratio) {
        return new Wanted(what, measured, Optional.of(new Figure(scenario, name)), most, ratio, orAtLeast);
    }

    /** Of a figure that is compared with no other one. */
    Wanted bound(double value) {
        return new Wanted(what, measured, reference, most, value, orAtLeast);
    }

    private Wanted orAtLeast(double value) {
        return new Wanted(what, measured, reference, most, bound, OptionalDouble.of(value));
    }

    boolean isMet(double value, double ratio) {
        double judged = reference.isPresent() ? ratio : value;
        return (most ? judged <= bound : judged >= bound) || orAtLeast.isPresent() && value >= orAtLeast.getAsDouble();
    }

    String shownBound(String unit) {
        String number = String.format(Locale.ROOT, bound == Math.rint(bound) ? "%.0f" : "%s", bound);
        return (most ? "at most " : "at least ") + number + (reference.isPresent() ? " x" : " " + unit);
    }
}
