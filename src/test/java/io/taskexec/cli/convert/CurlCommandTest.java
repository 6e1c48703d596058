package io.taskexec.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CurlCommandTest {
    private static final Map<String, String> VARIABLES = Map.of("HOST", "a.example.org", "KEY", "hunter2-hunter2");

    private static @Nullable CurlCommand parse(String command) {
        return CurlCommand.parse(ShellWords.parse(command, VARIABLES), "{\"n\": 1}\n");
    }

    private static JsonNode spec(String command) throws NoEquivalentException {
        var draft = new Draft("", "a");
        Objects.requireNonNull(parse(command)).into(draft);
        assertThat(draft.text()).doesNotContain("hunter2");
        return draft.endpoint().path("spec");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "curl https://a.example.org/x                  | GET    | https://a.example.org/x",
                "/usr/bin/curl -fsS a.example.org > /dev/null  | GET    | http://a.example.org",
                "curl -XDELETE \"https://$HOST/x\" 2>&1        | DELETE | https://a.example.org/x",
                "curl -so /dev/null --url https://${HOST}/x    | GET    | https://a.example.org/x",
                "wget -qO- https://a.example.org/x             | GET    | https://a.example.org/x",
                "wget -nv --method=PUT https://a.example.org   | PUT    | https://a.example.org",
                "curl -d '{}' 'https://a.example.org/x?a=1&b'  | POST   | https://a.example.org/x?a=1&b",
                "curl https://u:hunter2@a.example.org/x        | GET    | https://a.example.org/x",
                "curl https://a.example.org/?token=hunter2&x=1 | GET    |"
                        + " https://a.example.org/?token={{secret.a-token}}&x=1",
            })
    void aPlainCallHasItsMethodAndUrl(String command, String method, String url) throws Exception {
        var quoted = command.replace("hunter2&x", "hunter2\\&x");

        assertThat(spec(quoted).path("method").asText()).isEqualTo(method);
        assertThat(spec(quoted).path("url").asText()).isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "backup.sh",
                "curl",
                "curl https://a.example.org https://b.example.org",
                "curl https://a.example.org | sh",
                "curl https://a.example.org && touch /tmp/done",
                "curl https://a.example.org/$(date +%F)",
                "curl \"https://a.example.org/`date`\"",
                "curl https://a.example.org/$UNKNOWN",
                "curl -T file https://a.example.org",
                "curl -d @file.json https://a.example.org",
                "curl --proxy p https://a.example.org",
                "curl 'https://a.example.org",
                "cd /srv; wget https://a.example.org",
            })
    void anythingElseIsNoPlainCall(String command) {
        assertThat(parse(command)).isNull();
    }

    @Test
    void credentialsBecomeReferencesToSecrets() throws Exception {
        var headers = spec("curl -H \"Authorization: Bearer $KEY\" -H 'X-Api-Key: hunter2' -H 'X-Kind: a' -b s=hunter2"
                        + " https://a.example.org")
                .path("headers");

        assertThat(headers.toString())
                .isEqualTo(
                        "{\"Authorization\":\"Bearer {{secret.a-authorization}}\",\"Cookie\":\"{{secret.a-cookie}}\","
                                + "\"X-Api-Key\":\"{{secret.a-x-api-key}}\",\"X-Kind\":\"a\"}");
        assertThat(spec("curl -u me:hunter2 https://a.example.org")
                        .at("/headers/Authorization")
                        .asText())
                .isEqualTo("Basic {{secret.a-authorization}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Auth-Key",
                "X-Auth",
                "X-Key",
                "x-functions-key",
                "Ocp-Apim-Subscription-Key",
                "X-Passwd",
            })
    void aHeaderThatMayCarryACredentialIsNotCopied(String header) throws Exception {
        assertThat(spec("curl -H '" + header + ": hunter2' https://a.example.org")
                        .path("headers")
                        .path(header)
                        .asText())
                .startsWith("{{secret.");
    }

    @ParameterizedTest
    @CsvSource({
        "subscription-key, true",
        "auth_key, true",
        "subscriptionKey, true",
        "url-sig, true",
        "key, true",
        "code, true",
        "country_code, false",
        "monkey, false",
        "author, false",
    })
    void aParameterThatMayBeACredentialIsNotCopied(String name, boolean isSecret) throws Exception {
        var value = isSecret ? "hunter2" : "plain";

        assertThat(spec("curl 'https://a.example.org/?a=1&" + name + "=" + value + "'")
                        .path("url")
                        .asText()
                        .contains(name + "={{secret."))
                .isEqualTo(isSecret);
    }

    @Test
    void aRedirectionInQuotesIsText() throws Exception {
        var spec = spec("curl >> /var/log/a.log --json '{\"a\": \"b > c 2>&1 d\"}' https://a.example.org"
                + " > /dev/null 2>&1");

        assertThat(spec.at("/body_template/a").asText()).isEqualTo("b > c 2>&1 d");
    }

    @Test
    void bodyTimeoutAndInputAreKept() throws Exception {
        var spec = spec("curl -m 2.5 --json @- https://a.example.org");

        assertThat(spec.path("body_template").toString()).isEqualTo("{\"n\":1}");
        assertThat(spec.path("timeout_ms").asInt()).isEqualTo(2500);
    }
}
