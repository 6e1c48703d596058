package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Leases of pull workers outlive the process that has handed them out. */
class LeaseKillIT {
    private static final int JOBS = 40;

    @Test
    void whatAKilledProcessHasHandedOutIsCompletedAtAnother() throws InterruptedException {
        var database = ServerDb.fresh(LeaseKillIT.class);
        var setup = Program.serving(database);
        try (var one = setup.startReady();
                var other = setup.startReady()) {
            var _ = one.api().create("/endpoints", "{\"name\": \"pulled\", \"type\": \"WORKER\", \"spec\": {}}");
            for (var i = 0; i < JOBS; i++) {
                var _ = one.api().create("/jobs", """
                        {"endpoint": "pulled", "idempotency_key": "job-%d"}
                        """.formatted(i));
            }
            var leases = leases(one.api());
            assertThat(leases).hasSize(JOBS);

            one.kill();
            assertThat(results(other.api(), "extend", leases.subList(0, 10))).containsOnly("OK");
            assertThat(results(other.api(), "complete", leases)).hasSize(JOBS).containsOnly("OK");

            assertThat(results(other.api(), "extend", leases)).containsOnly("ERROR");
            assertThat(database.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"))
                    .isEqualTo(JOBS);
            assertThat(database.number("SELECT count(*) FROM attempts")).isZero();
            assertThat(leases(other.api())).isEmpty();
            Check.findsNothing(setup);
        }
    }

    private static List<String> leases(Api api) {
        return api.post("/leases", "{\"worker\": \"w\", \"endpoints\": [\"pulled\"], \"max\": 500}")
                .jsonPath()
                .getList("leases.lease", String.class);
    }

    private static List<String> results(Api api, String action, List<String> leases) {
        var items = leases.stream().map("{\"lease\": \"%s\"}"::formatted).collect(Collectors.joining(", "));
        return api.post("/leases/" + action, "{\"leases\": [%s]}".formatted(items))
                .jsonPath()
                .getList("results.status", String.class);
    }
}
