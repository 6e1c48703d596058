package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.HostClock;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One role for each process, and what they do for each other over nothing but the database. */
class RolesIT {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int PROMPT = 10;

    @Test
    void processesOfOneRoleEachDoTogetherWhatOneOfAllRolesDoes() throws InterruptedException {
        var database = ServerDb.fresh(RolesIT.class);
        var setup = Program.serving(database).with("TE_WORKER_POLL_INTERVAL_MS", "5000");
        try (var receiver = new Receiver();
                var api = setup.arguments("--roles=api")
                        .with("TE_WORKER_MAX_CONCURENT", "9")
                        .startReady()) {
            assertThat(api.output())
                    .contains("TE_WORKER_MAX_CONCURENT is not a setting of taskexec; did you mean"
                            + " TE_WORKER_MAX_CONCURRENT?");
            api.api().endpoint("counted", receiver.uri("/"), Map.of("max_attempts", 1));
            try (var worker =
                    setup.arguments("--roles=worker").without("TE_API_KEY").startReady()) {
                assertThat(worker.isAlive()).isTrue();
                deliversAtOnce(api, receiver);
                assertThat(listening(database)).as("one for each process").isEqualTo(2);
                firesSchedules(setup, api, receiver);
            }
            worksWithoutWakeUpsInAnotherRegion(setup, database, api);
        }
    }

    /** Connections that wake-ups go over. */
    private static long listening(ServerDb database) {
        return database.number("SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND (query LIKE 'NOTIFY %' OR query LIKE 'LISTEN %')");
    }

    private static void deliversAtOnce(Program api, Receiver receiver) throws InterruptedException {
        var _ = api.api().immediate("counted", "warm-up");
        var _ = receiver.awaitCount(1, BOUND);
        var begin = HostClock.nanos();
        for (var n = 0; n < PROMPT; n++) {
            var _ = api.api().immediate("counted", "key-" + n);
            var _ = receiver.awaitCount(n + 2, BOUND);
        }

        // Polling alone would take half of four seconds or more for each.
        assertThat(HostClock.since(begin)).isLessThan(Duration.ofSeconds(PROMPT));
    }

    private static void firesSchedules(Program.Setup setup, Program api, Receiver receiver)
            throws InterruptedException {
        var before = receiver.requests().size();
        var job = api.api().create("/jobs", """
                {"endpoint": "counted", "trigger": "INTERVAL", "every": "PT1S", "input": {"n": "tick"}}
                """).getString("job_id");
        try (var scheduler =
                setup.arguments("--roles=scheduler").without("TE_API_KEY").startReady()) {
            var _ = receiver.awaitCount(before + 2, BOUND);
            var _ = api.api().act("/jobs/" + job + "/cancel");
            assertThat(scheduler.isAlive()).isTrue();
        }
    }

    private static void worksWithoutWakeUpsInAnotherRegion(Program.Setup setup, ServerDb database, Program api)
            throws InterruptedException {
        // As if the worker had been gone for an hour.
        database.execute(
                "UPDATE region_heartbeats SET last_beat_at = now() - interval '1 h' WHERE component = 'worker'");
        database.execute("UPDATE region_status SET updated_at = now() - interval '1 h'");
        var waiting = api.api().immediate("counted", "waits for its region");
        try (var other = setup.arguments("--roles=worker,scheduler")
                .with("TE_REGION", "other")
                .with("TE_WAKEUPS_ENABLED", "false")
                .with("TE_WORKER_POLL_INTERVAL_MS", "200")
                .without("TE_API_KEY")
                .startReady()) {
            assertThat(api.api().ended(waiting).getString("status")).isEqualTo("SUCCESS");
            var polled = api.api().immediate("counted", "is found by polling");
            assertThat(api.api().ended(polled).getString("status")).isEqualTo("SUCCESS");
            assertThat(listening(database)).as("that of the api").isEqualTo(1);
            assertThat(database.texts("SELECT region || ' ' || number || ' ' || coalesce(adopted_by, 'itself')"
                            + " FROM region_status ORDER BY number"))
                    .containsExactly("default 0 other", "other 1 itself");
            assertThat(other.output()).contains("regions [default] are silent, region other does their work");
        }
    }
}
