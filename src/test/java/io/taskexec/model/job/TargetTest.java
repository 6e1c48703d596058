package io.taskexec.model.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.endpoint.HttpSpec;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.model.endpoint.RetryPolicy;
import io.taskexec.testing.Rows;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {
    private static Target target(String url, Map<String, String> headers) {
        return new Target(
                new HttpSpec(
                        url,
                        "POST",
                        headers,
                        Rows.json("{'n': '{{input.n}}'}"),
                        Duration.ofSeconds(5),
                        List.of(200),
                        new IdentitySpec(List.of(), "a.b")),
                RetryPolicy.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.org/a/b,            https://example.org:443",
        "HTTPS://Example.ORG?q={{input.q}},  https://example.org:443",
        "http://example.org,                 http://example.org:80",
        "http://example.org:8080#a,          http://example.org:8080",
        "http://my_service.ns:8080/,         http://my_service.ns:8080",
        "https://My_Service,                 https://my_service:443",
        "http://[::1]:81/,                   http://[::1]:81",
        "https://10.0.0.1/{{input.path}},    https://10.0.0.1:443"
    })
    void theOriginIsSchemeHostAndPort(String url, String origin) {
        var target = target(url, Map.of());

        assertThat(target.origin()).isEqualTo(origin);
        assertThat(target.endpoint()).isEqualTo("_target:" + origin);
        assertThat(Target.isName(target.endpoint())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.org/",
                "ftp://example.org/",
                "https:///a",
                "https://a b/",
                "https://me:pw@a/",
                "{{a}}",
                "https://me:pw@a_b/",
                "https://a_b:x/",
                "https://a_b:99999999999/"
            })
    void aUrlWithoutHostOrWithAUserHasNone(String url) {
        assertThat(target(url, Map.of()).origin()).isNull();
    }

    @Test
    void itIsStoredAsItIsAndShownWithoutCredentials() {
        var target =
                target("https://a/", Map.of("Authorization", "Bearer x", "X-Api-Key", "y", "Accept", "text/plain"));

        assertThat(Target.of(target.toJson())).isEqualTo(target);
        assertThat(target.shown().path("headers"))
                .isEqualTo(Rows.json(
                        "{'Authorization': '[redacted]', 'X-Api-Key': '[redacted]', 'Accept': 'text/plain'}"));
        assertThat(target.toJson().path("headers").path("Authorization").asText())
                .isEqualTo("Bearer x");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Authorization   | Bearer abc.def           | abc.def
            authorization   | abc                      | abc
            Cookie          | session=s1; theme=dark   | s1 dark
            X-Api-Key       | two words                | two words
            X-Auth-Token    | Bearer t                 | t
            X-Auth-Key      | k                        | k
            X-Partition-Key | 4711001                  | ''
            X-Author        | Grace                    | ''
            """)
    void whatIsSecretOfAHeaderIsKnown(String header, String value, String secrets) {
        assertThat(String.join(" ", Target.secretsOf(header, value))).isEqualTo(secrets);
    }
}
