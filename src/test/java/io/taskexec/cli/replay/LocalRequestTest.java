package io.taskexec.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.model.Json;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalRequestTest {
    private static final URI BASE = URI.create("http://localhost:3000");

    private static LocalRequest request(String url, String base, Map<String, String> secrets) throws Exception {
        return LocalRequest.of(Json.parse("""
                        {"method": "POST", "url": "%s", "headers": {"X-Key": "Key m-0-", "X-Kind": "{{secret.b}}"},
                         "body": "{\\"key\\":\\"m-1-\\",\\"n\\":12.50}", "timeout_ms": 1000,
                         "secrets": {"m-0-": "a", "m-1-": "b", "m-2-": "c"}}
                        """.formatted(url)), URI.create(base), secrets);
    }

    @Test
    void localSecretsTakeTheirPlacesAndTheAddressIsAnotherOne() throws Exception {
        var request = request(
                "https://api.example.org:8443/a%20b?q=m-2-",
                "http://localhost:3000/", Map.of("a", "one", "b", "\"two\"", "c", "x%26y"));

        assertThat(request.uri()).hasToString("http://localhost:3000/a%20b?q=x%26y");
        // A text that looks like a placeholder is none.
        assertThat(request.headers())
                .containsExactly(Map.entry("X-Key", "Key one"), Map.entry("X-Kind", "{{secret.b}}"));
        assertThat(request.body()).isEqualTo("{\"key\":\"\\\"two\\\"\",\"n\":12.50}");
        assertThat(request.missing()).isEmpty();
    }

    @Test
    void withoutALocalValueThePlaceholderIsSent() throws Exception {
        var request = request("https://api.example.org/x?q=m-2-", "http://localhost:3000/base", Map.of("a", "one"));

        assertThat(request.uri()).hasToString("http://localhost:3000/base/x?q=%7B%7Bsecret.c%7D%7D");
        assertThat(request.body()).contains("{{secret.b}}");
        assertThat(request.missing()).containsExactly("b", "c");
    }

    @Test
    void aUrlThatBeginsWithASecretNeedsIt() throws Exception {
        assertThat(request("m-2-/x", BASE.toString(), Map.of("c", "https://api.example.org/v1"))
                        .uri())
                .hasToString("http://localhost:3000/v1/x");
        assertThatThrownBy(() -> request("m-2-/x", BASE.toString(), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("begins with the secret c");
    }
}
