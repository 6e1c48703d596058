package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import org.junit.jupiter.api.Test;

class OverviewPageTest {
    private static ObjectNode snapshot(String queues, String breakers) throws Exception {
        var text = "{'workers': {'total': 1}, 'queues': {%s}, 'breakers': {%s}}".formatted(queues, breakers);
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    @Test
    void anOpenBreakerLeadsToItsEndpointOrToTheExecutionsOfItsTarget() throws Exception {
        var breaker = "{'endpoint': '%s', 'state': 'OPEN', 'reason': '5 of 5 failed'}";
        var both = breaker.formatted("mail") + ", " + breaker.formatted("_target:http://a:1");

        assertThat(OverviewPage.attention(snapshot("", "'items': [" + both + "]")))
                .extracting(point -> point.get("path"))
                .containsExactly("/ui/endpoints/mail", "/ui/executions?endpoint=_target%3Ahttp%3A%2F%2Fa%3A1");
    }

    @Test
    void aQueueThatTheOverviewDoesNotHaveIsIdleUnlessOthersWereLeftOut() throws Exception {
        var one = "'total': %d, 'items': [{'name': 'busy', 'ready': 7}]";

        assertThat(QueuesPage.load(snapshot(one.formatted(2), ""), "new")).isNull();
        var all = snapshot(one.formatted(1), "");
        assertThat(QueuesPage.load(all, "new")).hasToString("{\"ready\":0,\"running\":0,\"scheduled\":0,\"parked\":0}");
        assertThat(QueuesPage.load(all, "busy")).hasToString("{\"name\":\"busy\",\"ready\":7}");
    }

    @Test
    void aBackfillSaysHowManyTicksHaveBecomeExecutions() {
        assertThat(SchedulesPage.filled(1, 1)).isEqualTo("Of 1 tick, 1 has become an execution now.");
        assertThat(SchedulesPage.filled(5, 3)).isEqualTo("Of 5 ticks, 3 have become executions now.");
    }
}
