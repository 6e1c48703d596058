package io.taskexec.model.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderRulesTest {
    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "X-Custom", "x_y.z", "User-Agent", "Content-Type", "Accept", "1"})
    void usersMayAddWhatIsTheirs(String name) {
        assertThat(HeaderRules.nameViolation(name)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "host",
                "CONTENT-LENGTH",
                "Transfer-Encoding",
                "Connection",
                "Keep-Alive",
                "Upgrade",
                "TE",
                "Trailer",
                "Expect",
                "Proxy-Authorization",
                "proxy-connection",
                "Taskexec-Attempt",
                "taskexec-anything",
                "Idempotency-Key",
                "HTTP2-Settings"
            })
    void namesThatAreNotTheirsAreReserved(String name) {
        assertThat(HeaderRules.nameViolation(name)).isEqualTo("Header " + name + " is reserved");
    }

    @ParameterizedTest
    @ValueSource(strings = {"traceparent", "TraceState", "Webhook-Id", "webhook-anything", "CE-Type", "ce-mine"})
    void whatSaysWhoseADeliveryIsIsReservedForNewEndpointsAlone(String name) {
        assertThat(HeaderRules.registrationViolation(Map.of(name, "1"))).isEqualTo("Header " + name + " is reserved");
        assertThat(HeaderRules.violation(Map.of(name, "1"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Traceparent", "webhook", "ce", "Cell", "Certificate"})
    void whatOnlyLooksLikeItIsFree(String name) {
        assertThat(HeaderRules.registrationViolation(Map.of(name, "1"))).isNull();
    }

    @Test
    void aNewEndpointKeepsToTheOtherRulesToo() {
        assertThat(HeaderRules.registrationViolation(Map.of("Host", "a"))).isEqualTo("Header Host is reserved");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a:", "a\r\nb", "é", "a\0", "a/b", "[a]", "\"a\""})
    void namesAreTokens(String name) {
        assertThat(HeaderRules.nameViolation(name)).contains("header name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nEvil: 1", "a\nb", "a\rb", "a\0b", "\u0001", "\u007f", "é", "\u2028"})
    void valuesCannotEndTheHeaderAndAreNotRepeated(String value) {
        assertThat(HeaderRules.violation(Map.of("X-Custom", value)))
                .isEqualTo("The value of header X-Custom has characters other than visible ASCII, space and tab");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a\tb c", "Bearer abc.def~==", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"})
    void otherValuesPass(String value) {
        assertThat(HeaderRules.violation(Map.of("X-Custom", value))).isNull();
    }

    @Test
    void aNameIsGivenOnceWhateverItsCase() {
        var headers = new LinkedHashMap<String, String>();
        headers.put("X-Custom", "1");
        headers.put("x-custom", "2");
        assertThat(HeaderRules.violation(headers)).isEqualTo("Header x-custom is given twice");
    }

    @Test
    void everythingIsBounded() {
        var many = IntStream.rangeClosed(0, HeaderRules.MAX_COUNT)
                .boxed()
                .collect(Collectors.toMap(i -> "X-" + i, i -> "v"));
        assertThat(HeaderRules.violation(many)).isEqualTo("More than 64 headers");
        assertThat(HeaderRules.nameViolation("x".repeat(HeaderRules.MAX_NAME_LENGTH + 1)))
                .contains("longer than 256");
        assertThat(HeaderRules.violation(Map.of("X-Custom", "x".repeat(HeaderRules.MAX_VALUE_LENGTH + 1))))
                .contains("longer than 8192");
        assertThat(HeaderRules.violation(Map.of("X-Custom", "x".repeat(HeaderRules.MAX_VALUE_LENGTH))))
                .isNull();
    }
}
