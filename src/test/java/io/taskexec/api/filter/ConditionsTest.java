package io.taskexec.api.filter;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.request.ApiException;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConditionsTest {
    private static MultiMap header(String name, String value) {
        return MultiMap.caseInsensitiveMultiMap().add(name, value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void aWriteWithoutTheTagOfItsConditionIsRefused(String value) {
        assertThatThrownBy(() -> Conditions.check(HttpMethod.PUT, header("if-match", value)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("If-Match must be '*' or a list of entity tags");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "POST", "PATCH", "DELETE"})
    void noWriteTakesAConditionThatIsForReads(String method) {
        assertThatThrownBy(() -> Conditions.check(HttpMethod.valueOf(method), header("If-None-Match", "*")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("If-None-Match is for GET");
    }

    @Test
    void otherConditionsAreForTheResource() {
        assertThatCode(() -> {
                    Conditions.check(HttpMethod.POST, MultiMap.caseInsensitiveMultiMap());
                    Conditions.check(HttpMethod.GET, header("If-None-Match", "\"a\""));
                    Conditions.check(HttpMethod.HEAD, header("If-None-Match", "*"));
                    Conditions.check(HttpMethod.PUT, header("If-Match", "").add("If-Match", "\"a\""));
                    Conditions.check(HttpMethod.PUT, header("If-Match", "malformed"));
                })
                .doesNotThrowAnyException();
    }
}
