import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One thing to measure; adds its figures to the session's report. */
interface Scenario {
    void run(Session session) throws Exception;

    /** What is wanted of its figures alone; Wanted has what is wanted of several scenarios together. */
    default List<Wanted> wanted() {
        return List.of();
    }

    /** All scenarios by name, in the order in which they run: others are compared with raw. */
    static Map<String, Scenario> all() {
        var all = new LinkedHashMap<String, Scenario>();
        all.put("raw", new RawScenario());
        all.put("start", new StartScenario());
        all.put("ready", new ReadyScenario());
        all.put("create", new CreateScenario());
        all.put("batch", new BatchScenario());
        all.put("copy", new CopyScenario());
        all.put("drain", new DrainScenario());
        all.put("memory", new MemoryScenario());
        all.put("db-scheduler", new DbSchedulerScenario());
        all.put("floor", new FloorScenario());
        all.put("cold", new ColdScenario());
        all.put("latency", new LatencyScenario());
        all.put("delayed", new DelayedScenario());
        all.put("idle", new IdleScenario());
        all.put("ticks", new TicksScenario());
        all.put("burst", new BurstScenario());
        all.put("roles", new RolesScenario());
        all.put("workers", new WorkersScenario());
        all.put("keyed", new KeyedScenario());
        all.put("chains", new ChainsScenario());
        all.put("fan-in", new FanInScenario());
        all.put("deferral", new DeferralScenario());
        all.put("pull", new PullScenario());
        all.put("forecast", new ForecastScenario());
        all.put("history", new HistoryScenario());
        all.put("backlog", new BacklogScenario());
        all.put("later", new LaterScenario());
        all.put("horizon", new HorizonScenario());
        all.put("transports", new TransportsScenario());
        all.put("dashboard", new DashboardScenario());
        all.put("retention", new RetentionScenario());
        all.put("soak", new SoakScenario());
        all.put("drift", new DriftScenario());
        all.put("flow-cap", new FlowCapScenario());
        all.put("flow-rate", new FlowRateScenario());
        all.put("flow-order", new FlowOrderScenario());
        all.put("flow-fair", new FlowFairScenario());
        all.put("flow-shares", new FlowSharesScenario());
        all.put("flow-aging", new FlowAgingScenario());
        all.put("flow-pause", new FlowPauseScenario());
        all.put("flow-adaptive", new FlowAdaptiveScenario());
        all.put("flow-queues", new FlowQueuesScenario());
        return all;
    }

    /** What runs when nothing is named: without flow control and what takes long by the rows that it needs. */
    static List<String> usual() {
        return names().stream()
                .filter(name -> !List.of("dashboard", "retention", "soak").contains(name) && !flow().contains(name))
                .toList();
    }

    /** Those that show whether limits, shares and pauses hold. */
    static List<String> flow() {
        return names().stream().filter(name -> name.startsWith("flow-")).toList();
    }

    static List<String> names() {
        return List.copyOf(all().keySet());
    }
}
