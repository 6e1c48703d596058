import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** How fast the same queue is delivered to a Kafka topic and to a Redis stream, with HTTP as the reference. */
final class TransportsScenario implements Scenario {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(20);

    @Override
    public void run(Session session) throws Exception {
        if (session.options().url().isPresent()) {
            System.err.println("transports is left out: it reads the metrics of a program that was started here.");
            return;
        }
        int jobs = session.options().drainJobs() / 5;
        double created = Drain.warmUp(session, "transports-warm-up", Drain.warmUpJobs(jobs));
        Drain http = Drain.run(session, "transports-http", jobs, created);
        session.report().add("transports", "jobs delivered by HTTP", http.delivered(), "1/s");
        try (var kafka = KafkaServer.start()) {
            deliver(session, "Kafka", kafka, "taskexec_kafka_producers", created);
        }
        try (var redis = RedisInstance.start()) {
            deliver(session, "Redis", redis, "taskexec_redis_connections", created);
        }
    }

    private static void deliver(Session session, String kind, MessageServer server, String gauge, double created)
            throws Exception {
        Report report = session.report();
        report.add(
                "transports",
                gauge + ", at rest",
                Metrics.sum(session.programs().getFirst(), gauge),
                "");
        int jobs = session.options().drainJobs() / 5;
        drain(session, server, kind.toLowerCase() + "-warm-up", Drain.warmUpJobs(jobs), created);
        report.add(
                "transports",
                "jobs delivered to " + kind,
                drain(session, server, kind.toLowerCase(), jobs, created),
                "1/s");
        report.add(
                "transports", gauge + ", after", Metrics.sum(session.programs().getFirst(), gauge), "");
    }

    private static double drain(Session session, MessageServer server, String scenario, int jobs, double created)
            throws Exception {
        String name = "bench-" + scenario + "-" + session.workspace().stamp();
        var api = new ApiClient(session.service());
        api.createEndpoint(server.endpoint(name));
        session.server().settle(session.database().orElseThrow());
        Instant runAt = Instant.now()
                .plusMillis(3_000 + (long) (2_000 * jobs / created))
                .truncatedTo(ChronoUnit.MILLIS);
        var bodies = new JobJson(name);
        api.createJobs(jobs, n -> bodies.delayed(n, runAt));
        Instant limit = runAt.plus(LIMIT);
        while (server.count(name) < jobs && Instant.now().isBefore(limit)) {
            Thread.sleep(POLL);
        }
        Thread.sleep(Session.WATCH_FOR_DUPLICATES);
        long count = server.count(name);
        if (count != jobs) {
            session.report().problem(scenario, count + " messages came instead of " + jobs);
        }
        return (jobs - 1) / server.seconds(name);
    }
}
