package io.taskexec.model.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryRulesTest {
    @ParameterizedTest
    @CsvSource({
        "404, '', HTTP_ERROR, 404, false, true",
        "4xx, '', HTTP_ERROR, 404, false, true",
        "4xx, 404, HTTP_ERROR, 404, false, false",
        "4xx, 404, HTTP_ERROR, 409, false, true",
        "HTTP_ERROR, '', HTTP_ERROR, 404, false, true",
        "'', 503, HTTP_ERROR, 503, true, false",
        "'', 5xx, HTTP_ERROR, 503, true, false",
        "503, 5xx, HTTP_ERROR, 503, true, false",
        "'', TIMEOUT, TIMEOUT, , true, false",
        "'', CONNECTION_ERROR, TIMEOUT, , true, true",
        "'', '', HTTP_ERROR, 404, false, false",
        "'', '', HTTP_ERROR, 503, true, true",
    })
    void theRulesAreExceptions(
            String retryOn,
            String noRetryOn,
            String type,
            @Nullable Integer status,
            boolean otherwise,
            boolean retried) {
        var rules = new RetryRules(words(retryOn), words(noRetryOn));

        assertThat(rules.isRetried(type, status, otherwise)).isEqualTo(retried);
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(","));
    }

    @Test
    void noRuleRetriesWhatNoReceiverIsResponsibleFor() {
        var rules = new RetryRules(List.of("4xx", "HTTP_ERROR", "TIMEOUT"), List.of());

        assertThat(rules.isRetried("INVALID_CONFIGURATION", null, false)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"404", "100", "599", "4xx", "TIMEOUT", "CONNECTION_ERROR", "BROKER_ERROR"})
    void aWordIsAStatusAClassOrAType(String word) {
        assertThat(RetryRules.isWord(word)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40", "600", "6xx", "4XX", "timeout", "INTERNAL_ERROR", "UNREADABLE", ""})
    void nothingElseIsAWord(String word) {
        assertThat(RetryRules.isWord(word)).isFalse();
    }
}
