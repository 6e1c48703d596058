package io.taskexec.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Every fault once, some at the same time; {@code bench/chaos} goes on for longer. {@code -Dchaos.seed} changes the
 * order of the faults and {@code -Dchaos.seconds} the length.
 */
@NeedsOwnServer("It stops and freezes its server.")
class ChaosIT {
    /** Where other tests keep the processors busy, a worker and a database that starts again may each take seconds. */
    private static final Duration LEASE = Duration.ofSeconds(Integer.getInteger("chaos.lease", 12));

    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("chaos.seconds", 0));
    private static final long SEED = Long.getLong("chaos.seed", 1);
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final int SCHEDULES = 30;

    @Test
    void nothingIsLostAndNothingIsDoubledWithoutReasonWhateverDies() throws Exception {
        try (var deliveries = new Deliveries();
                var fleet = new Fleet(LEASE)) {
            register(fleet.api(0), deliveries);
            var schedules = IntStream.range(0, SCHEDULES)
                    .mapToObj(n -> schedule(fleet.api(0), n))
                    .toList();
            var begin = System.nanoTime();
            try (var mix = new Mix(fleet, SEED)) {
                var recovery = new Recovery(fleet.database(), mix);
                var strikes = new Strikes(fleet, recovery, LEASE, SEED);
                strikes.strikeFor(LENGTH);
                mix.finish();
                var length = Duration.ofNanos(System.nanoTime() - begin);
                end(fleet, schedules);

                var verdict = new Verdict(fleet.database(), deliveries.all());
                verdict.nothingIsLost(mix.accepted());
                verdict.everyAttemptIsAccountedFor();
                verdict.everyTickIsInTheLedger();
                var doubled = verdict.onlyTheStruckDeliveredAgain(recovery.ids(strikes.struck()));
                checkLedger(fleet.api(0), schedules);
                new Figures(SEED, length, LEASE, fleet.database(), mix, strikes, verdict, doubled).print();
                checkProcesses(fleet, mix);
            }
        } catch (AssertionError e) {
            throw new AssertionError("With seed " + SEED + ": " + e.getMessage(), e);
        }
    }

    private static void register(Api api, Deliveries deliveries) {
        for (var traffic : Traffic.values()) {
            api.endpoint(traffic.endpoint(), deliveries.receiver().uri(traffic.path()), traffic.retryPolicy());
        }
    }

    /** One in ten is a cron expression, which all fire together. */
    private static String schedule(Api api, int n) {
        var timetable = n % 10 == 0
                ? Map.of("trigger", "CRON", "cron", "* * * * *", "timezone", "UTC")
                : Map.of("trigger", "INTERVAL", "every", "PT%dS".formatted(1 + n % 5));
        var job = new HashMap<String, Object>(timetable);
        job.put("endpoint", Traffic.TICK.endpoint());
        job.put("input", Map.of("n", n));
        return api.create("/jobs", job).getString("job_id");
    }

    private static void end(Fleet fleet, List<String> schedules) throws InterruptedException {
        schedules.forEach(job -> fleet.api(0).act("/jobs/" + job + "/cancel"));
        Eventually.await(
                "nothing is left to do",
                BOUND,
                () -> fleet.database().texts("SELECT to_json(l) FROM exec_live l LIMIT 10"),
                List::isEmpty);
    }

    private static void checkLedger(Api api, List<String> schedules) {
        for (var job : schedules) {
            assertThat(api.read("/jobs/" + job + "/gaps").getList("items"))
                    .as("gaps of " + job)
                    .isEmpty();
        }
    }

    private static void checkProcesses(Fleet fleet, Mix mix) throws InterruptedException {
        assertThat(mix.answers().keySet()).as("answers").isSubsetOf(0, 200, 201, 503);
        var check = fleet.setup().arguments("check").run();
        assertThat(check.awaitExit()).as(check.output()).isZero();
        assertThat(check.out()).doesNotContain("VIOLATED", "warning");
        // A process that was frozen warns of its own stillness, with a stack trace. What Quarkus marks so was logged by
        // libraries that were still at work when it had stopped.
        assertThat(fleet.all().flatMap(member -> member.output().lines()))
                .filteredOn(line -> line.contains("\"level\":\"ERROR\""))
                .allMatch(line -> line.contains("[Error Occurred After Shutdown]"));
    }
}
