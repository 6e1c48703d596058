package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Endpoints and queues in the dashboard. */
@ServerTest
class DashboardEndpointsIT {
    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static DashboardSession admin() {
        return DashboardSession.logIn(api, api.key());
    }

    @Test
    void twoVersionsOfAnEndpointAreCompared() {
        api.endpoint("changing", receiver.uri("/one"), Map.of("max_attempts", 1));
        var person = admin();
        assertThat(person.page("/ui/endpoints/changing")).doesNotContain("Compare");
        for (var path : List.of("/two?a&b", "/three")) {
            var _ = api.update(
                    "/endpoints/changing", Api.posting("changing", api.uri(path), Map.of("max_attempts", 1)));
        }
        var last = api.read("/endpoints/changing").getInt("version");

        assertThat(person.page("/ui/endpoints/changing"))
                .contains(
                        "class=\"removed\">-",
                        "/two?a&amp;b\"",
                        "/three\"",
                        "from version %d to version %d".formatted(last - 1, last))
                .doesNotContain("/one");
        assertThat(person.page("/ui/endpoints/changing?from=%d&to=%d".formatted(last - 2, last)))
                .contains("/one", "/three")
                .doesNotContain("/two");
        assertThat(person.page("/ui/endpoints/changing?from=%1$d&to=%1$d".formatted(last)))
                .contains("have the same settings");
        for (var wrong : List.of("from=77", "to=x", "from=%3Ci%3E")) {
            var answer = person.get("/ui/endpoints/changing?" + wrong);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.asString())
                    .contains("is not one of the newest 50 versions")
                    .doesNotContain("<i>");
        }
        assertThat(api.read("/endpoints/changing/versions").<Integer>getList("items.version"))
                .containsExactly(last, last - 1, last - 2);
    }

    @Test
    void executionsOfATargetAreListed() {
        var job = Map.of(
                "idempotency_key",
                "listed",
                "target",
                Map.of("url", receiver.uri("/listed").toString()));
        var id = api.create("/jobs", job).getString("execution.execution_id");
        var name = api.read("/executions/" + id).getString("endpoint");
        assertThat(name).startsWith("_target:");

        assertThat(admin().request()
                        .queryParam("endpoint", name)
                        .get("/ui/executions")
                        .asString())
                .contains("id=\"" + id + "\"");
    }

    @Test
    void theQueueOfPullWorkersOffersAPauseAlone() {
        var _ = api.create("/endpoints", Map.of("name", "pulling", "type", "WORKER", "spec", Map.of()));

        assertThat(admin().page("/ui/queues/worker:pulling"))
                .contains(">Pause<", "has no other settings")
                .doesNotContain(">Save<");
    }

    @Test
    void aRateIsNotDroppedWithoutAWord() {
        var person = admin();
        var _ = api.create("/queues", Map.of("name", "rated"));
        var path = "/ui/queues/rated";

        var incomplete = person.send(path, Map.of("rate_per", "PT1M", "rate_burst", "5"));
        assertThat(incomplete.statusCode()).isEqualTo(400);
        assertThat(incomplete.asString()).contains("&#39;rate_limit&#39; is required");
        var rate = Map.of("rate_limit", "10", "rate_per", "PT1M", "rate_burst", "5");
        assertThat(person.send(path, rate).statusCode()).isEqualTo(303);
        assertThat(api.read("/queues/rated").getInt("rate.limit")).isEqualTo(10);
        assertThat(person.send(path, Map.of("rate_per", "PT1M")).statusCode()).isEqualTo(303);
        assertThat(api.read("/queues/rated").getMap("")).doesNotContainKey("rate");
    }
}
