package io.taskexec.secret;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.secret.EchoedForms.Echo;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionCorpusTest {
    private static final List<String> SECRETS =
            List.of("k9+Zu/3Qw==x~7", "Pä\"s's<w>&ö\\d %41+x=Ö\n\u0001z", "pä🎉#日本語:\"q\"/$5");

    static Stream<Arguments> echoes() {
        return EchoedForms.all().stream()
                .flatMap(echo -> SECRETS.stream()
                        .filter(secret -> echo.charset().newEncoder().canEncode(secret))
                        .map(secret -> Arguments.of(echo, secret)));
    }

    @Test
    void theCorpusHasAsManyFormsAsItsDocumentSays() {
        var forms = EchoedForms.all();

        assertThat(forms).extracting(Echo::name).doesNotHaveDuplicates();
        assertThat(Path.of("docs/security.md")).content().contains("A corpus of " + forms.size() + " forms");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("echoes")
    void whatAReceiverMakesOfASecretIsReplaced(Echo echo, String secret) {
        var text = "{\"id\": 7, \"got\": <" + echo.form().apply(secret) + ">, \"next\": \"no secret\"}";

        // What tells the notation may stay.
        assertThat(Redaction.of(List.of(secret)).redact(text).replaceFirst("(?:0x|\\\\+x)\\[", "["))
                .isEqualTo("{\"id\": 7, \"got\": <[redacted]>, \"next\": \"no secret\"}");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("echoes")
    void whatTheEndOfTheTextCutsIsReplacedToo(Echo echo, String secret) {
        var form = echo.form().apply(secret);
        var redaction = Redaction.of(List.of(secret));

        for (var end = form.length() * 3 / 4; end < form.length(); end++) {
            var kept = form.substring(0, end);
            assertThat(redaction.redact("got <" + kept)).as(kept).matches("(?s)got <(?:0x|\\\\+x)?\\[redacted].{0,7}");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "short",
                "Nothing of it is here, though 100% of this text & more has \\ and = in it.",
                "{\"a\":\"b\\u00e4\\/\\n\",\"n\":[1,2,255,-128,99999],\"u\":\"https:\\/\\/a.example\\/?q=%2B%C3%A4\"}",
                "<p class=\"a\">&amp;&#43;&plus;&nope;&;&#xZZ;&#99999999999; %zz %u12 \\x \\u{} \\U00 \\</p>",
                "aGVsbG8gd29ybGQ= 68656c6c6f %41%42 =41=42 \\101\\102",
                "\ud83c \udf89 \ufffd \uffff"
            })
    void anyOtherTextStaysTheSameObject(String text) {
        assertThat(Redaction.of(SECRETS).redact(text)).isSameAs(text);
    }

    @Test
    void secretsInSeveralNotationsAreReplacedInOneText() {
        var secrets = List.of("k9+Zu/3Qw==x~7", "correct horse battery");
        var forms = EchoedForms.all().stream()
                .filter(echo ->
                        !echo.name().startsWith("quoted") && !echo.name().contains("quoted-printable"))
                .map(echo -> echo.form().apply(secrets.getFirst()))
                .toList();
        var text = String.join("; correct+horse%20battery; ", forms);

        var redacted = Redaction.of(secrets).redact(text);

        assertThat(redacted.replaceAll("(?:0x|\\\\+x)\\[", "[").split("; ", -1)).containsOnly("[redacted]");
    }

    @Test
    void aTextThatIsAllNearMissesTakesTimeInProportionToIt() {
        var secret = "a".repeat(2_000) + "b";
        var text = "a".repeat(64 * 1024);

        // A search that began again at each place would compare 130 million characters for each form.
        assertThat(Redaction.of(List.of(secret)).redact(text + "c")).endsWith("ac");
        assertThat(Redaction.of(List.of(secret)).redact(text)).endsWith("[redacted]");
    }
}
