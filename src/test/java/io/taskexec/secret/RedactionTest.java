package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    private static final String AWKWARD = "p\"ä/s\\s\n+*~ %\u0001🎉";

    @Test
    void eachOccurrenceIsReplaced() {
        var redaction = Redaction.of(List.of("s3cret-1", "s3cret-2"));

        assertThat(redaction.redact("s3cret-1 and s3cret-2, s3cret-1s3cret-1."))
                .isEqualTo("[redacted] and [redacted], [redacted][redacted].");
    }

    @Test
    void aTextWithoutSecretsIsTheSameObject() {
        var text = "nothing here";

        assertThat(Redaction.of(List.of("s3cret")).redact(text)).isSameAs(text);
        assertThat(Redaction.NONE.redact(text)).isSameAs(text);
    }

    @Test
    void aSecretThatTheEndOfTheTextCutsIsReplacedToo() {
        var redaction = Redaction.of(List.of("swordfish"));

        assertThat(redaction.redact("say swordfis")).isEqualTo("say [redacted]");
        assertThat(redaction.redact("swordf")).isEqualTo("[redacted]");
        assertThat(redaction.redact("say sword")).isEqualTo("say sword");
        assertThat(redaction.redact("swordfis, here")).isEqualTo("swordfis, here");
    }

    @Test
    void aKeyForSignaturesIsReplacedWithAndWithoutWhatTellsItsKind() {
        var redaction = Redaction.of(List.of("whsec_MfKQ9r8GKYqrTwjU"));

        assertThat(redaction.redact("whsec_MfKQ9r8GKYqrTwjU MfKQ9r8GKYqrTwjU")).isEqualTo("[redacted] [redacted]");
    }

    @Test
    void shortSecretsAreLeftAlone() {
        assertThat(Redaction.of(List.of("", "a", "12345"))).isSameAs(Redaction.NONE);
        assertThat(Redaction.of(List.of("123456")).redact("1234567")).isEqualTo("[redacted]7");
    }

    @Test
    void aShortSecretIsNotFoundAcrossWords() {
        var redaction = Redaction.of(List.of("token1"));

        assertThat(redaction.redact("of the to\nken 1 is fine, token1 is not"))
                .isEqualTo("of the to\nken 1 is fine, [redacted] is not");
    }

    @Test
    void aSecretWithinAnotherGoesWithIt() {
        assertThat(Redaction.of(List.of("s3cret", "my-s3cret-key")).redact("<my-s3cret-key> <s3cret>"))
                .isEqualTo("<[redacted]> <[redacted]>");
    }

    @Test
    void secretsThatOverlapLeaveNoRemains() {
        assertThat(Redaction.of(List.of("abcdef", "defghi", "aaaaaa")).redact("abcdefghi aaaaaaaa."))
                .isEqualTo("[redacted] [redacted].");
    }

    @Test
    void theMarkItselfIsNotRedactedAgain() {
        assertThat(Redaction.of(List.of("redacted", "s3cret")).redact("s3cret redacted"))
                .isEqualTo("[redacted] [redacted]");
    }

    @Test
    void aSecretIsNotAPattern() {
        assertThat(Redaction.of(List.of(".*\\$1()")).redact("abcdefg .*\\$1()")).isEqualTo("abcdefg [redacted]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "p\\\"ä/s\\\\s\\n+*~ %\\u0001🎉",
                "p\\\"\\u00e4/s\\\\s\\n+*~ %\\u0001\\ud83c\\udf89",
                "p%22%C3%A4%2Fs%5Cs%0A%2B%2A~%20%25%01%F0%9F%8E%89",
                "p%22%c3%a4%2fs%5cs%0a%2b%2a~%20%25%01%f0%9f%8e%89"
            })
    void itsFormInJsonOrAUrlIsReplacedToo(String form) {
        assertThat(Redaction.of(List.of(AWKWARD)).redact("<" + form + ">")).isEqualTo("<[redacted]>");
    }

    @Test
    void itsFormInAnHtmlFormIsReplacedToo() {
        assertThat(Redaction.of(List.of(AWKWARD)).redact(URLEncoder.encode(AWKWARD, UTF_8)))
                .isEqualTo("[redacted]");
    }

    @Test
    void itsBase64FormsAreReplacedToo() {
        var redaction = Redaction.of(List.of(AWKWARD));
        var bytes = AWKWARD.getBytes(UTF_8);

        assertThat(redaction.redact(Base64.getEncoder().encodeToString(bytes))).isEqualTo("[redacted]");
        assertThat(redaction.redact(Base64.getUrlEncoder().encodeToString(bytes)))
                .isEqualTo("[redacted]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "u:", "me:", "you:", "user:"})
    void aSecretWithinALongerBase64TextIsReplacedToo(String before) {
        for (var secret : List.of("s3cret", "s3cret7", "s3cret78", "s3cret789")) {
            for (var after : List.of("", "!", "!!", "!!!")) {
                var text = Base64.getEncoder().encodeToString((before + secret + after).getBytes(UTF_8));

                assertThat(Redaction.of(List.of(secret)).redact(text)).contains("[redacted]");
            }
        }
    }
}
