package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadLettersPageTest {
    @ParameterizedTest
    @CsvSource({"7, 3, 3", "7, 9, 7", "7, null, 7", "null, 3, ''"})
    void anOperationHandlesNoMoreThanItIsAskedForAndThanThereAre(String total, String max, String most)
            throws Exception {
        var operation = Json.parse("{\"total\": %s, \"max\": %s}".formatted(total, max));

        assertThat(DeadLettersPage.withMost(operation).path("most").asText()).isEqualTo(most);
    }
}
