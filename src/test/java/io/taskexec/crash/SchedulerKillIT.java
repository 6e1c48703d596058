package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SchedulerKillIT {
    /** Each wants a start; more of them, at other moments, with {@code -Dscheduler.kills}. */
    private static final int KILLS = Integer.getInteger("scheduler.kills", 6);

    /** A schedule has fired so often at least while schedulers died. */
    private static final int FIRES = 6;

    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final int SCHEDULES = 100;

    private final ServerDb database = ServerDb.fresh(SchedulerKillIT.class);
    private final Program.Setup scheduler = Program.serving(database).arguments("--roles=scheduler");

    @Test
    void schedulersThatAreKilledOverAndOverLeaveOutNoTickAndDoubleNone() throws InterruptedException {
        try (var control = Program.serving(database).arguments("--roles=api").startReady()) {
            var api = control.api();
            api.endpoint("target", URI.create("http://127.0.0.1:9/"), Map.of("max_attempts", 1));
            var jobs = IntStream.range(0, SCHEDULES)
                    .mapToObj(n -> schedule(api, n))
                    .toList();
            killInTurns();
            checkLedger(api, jobs);
            Check.findsNothing(scheduler);
            System.out.printf(
                    "%d schedulers killed, %d ticks fired%n", KILLS, database.number("SELECT count(*) FROM ticks"));
        }
    }

    private static String schedule(Api api, int n) {
        return api.create("/jobs", """
                {"endpoint": "target", "trigger": "INTERVAL", "every": "PT%dS"}
                """.formatted(1 + n % 2)).getString("job_id");
    }

    /** Two run; each in its turn dies at any moment and is started again. */
    private void killInTurns() throws InterruptedException {
        var one = scheduler.startReady();
        var other = scheduler.startReady();
        try {
            for (var kills = 0; kills < KILLS; kills++) {
                // Nothing is waited for: a kill has to come at any moment of a tick.
                Thread.sleep(ThreadLocalRandom.current().nextInt(1_000));
                one.kill();
                var next = scheduler.start();
                one = other;
                other = next;
                other.awaitReady();
            }
            Eventually.await("each has fired often", BOUND, () -> fewestFires() > FIRES);
            awaitNothingDue();
        } finally {
            one.close();
            other.close();
        }
    }

    private long fewestFires() {
        return database.number("SELECT min(fires) FROM schedules");
    }

    private void awaitNothingDue() throws InterruptedException {
        Eventually.await(
                "no schedule is behind",
                BOUND,
                () -> database.number(
                        "SELECT count(*) FROM schedules WHERE next_run_at < now() - interval '200 milliseconds'"),
                behind -> behind == 0);
    }

    private void checkLedger(Api api, List<String> jobs) {
        for (var job : jobs) {
            var gaps = api.read("/jobs/" + job + "/gaps");
            assertThat(gaps.getInt("expected")).isGreaterThan(FIRES);
            assertThat(gaps.getList("items")).isEmpty();
        }
        assertThat(database.number("SELECT count(*) FROM ticks WHERE outcome <> 'FIRED'"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM exec_live"))
                .isEqualTo(database.number("SELECT count(*) FROM ticks"));
        assertThat(database.number("SELECT count(*) FROM ticks t JOIN exec_live l ON l.execution_id = t.execution_id"
                        + " AND l.job_id = t.job_id AND l.run_at = t.scheduled_at"))
                .isEqualTo(database.number("SELECT count(*) FROM ticks"));
        assertThat(database.number("SELECT sum(fires) FROM schedules"))
                .isEqualTo(database.number("SELECT count(*) FROM ticks"));
    }
}
