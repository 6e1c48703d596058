package io.taskexec.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventSelectionTest {
    @Test
    void aTypeMayBeTypedAsItIsPrinted() throws Exception {
        var selection = new EventSelection(List.of(), List.of(), List.of(), List.of("FAILED", "Retrying"));

        assertThat(selection.path())
                .isEqualTo("/events?type=io.taskexec.execution.failed%2Cio.taskexec.execution.retrying");
        assertThat(selection.matches(Json.parse("{\"type\": \"io.taskexec.execution.failed\", \"data\": {}}")))
                .isTrue();
    }
}
