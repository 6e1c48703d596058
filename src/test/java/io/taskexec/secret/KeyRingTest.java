package io.taskexec.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.secret.CallbackTokens.Purpose;
import io.taskexec.testing.TestFiles;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyRingTest {
    private static final String KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoyMzQ1Njc=";
    private static final String OTHER_KEY = "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoyMzQ1Njc=";
    private static final Pattern STEP = Pattern.compile("\\(`(k\\d:\\.{3}(?:,k\\d:\\.{3})*)`\\)");

    @Test
    void theFirstKeyIsTheActiveOne() {
        var keys = KeyRing.parse("new:" + KEY + ",old-1:" + OTHER_KEY);

        assertThat(keys.activeId()).isEqualTo("new");
        assertThat(keys.find("old-1")).isNotNull();
        assertThat(keys.find("other")).isNull();
    }

    @Test
    void whiteSpaceAroundEntriesDoesNotMatter() {
        assertThat(KeyRing.parse(" a : " + KEY + " ,\n b:" + OTHER_KEY + "\n").toString())
                .isEqualTo("KeyRing[a, b]");
    }

    /** Processes of two successive steps run at the same time. What is older than the rotation is encrypted anew. */
    @Test
    void processesReadEachOtherInEveryStepOfTheDocumentedRotation() {
        var document = TestFiles.text(Path.of("docs/configuration.md"));
        var rings = Stream.concat(
                        Stream.of("k1:..."), STEP.matcher(document).results().map(step -> step.group(1)))
                .map(ring -> KeyRing.parse(ring.replace("k1:...", "k1:" + KEY).replace("k2:...", "k2:" + OTHER_KEY)))
                .toList();
        assertThat(rings).extracting(KeyRing::activeId).startsWith("k1").endsWith("k2");

        for (var i = 1; i < rings.size(); i++) {
            assertReads(rings.get(i - 1), rings.get(i));
            assertReads(rings.get(i), rings.get(i - 1));
        }
    }

    private static void assertReads(KeyRing reader, KeyRing writer) {
        var secret = new SecretCipher(writer).encrypt("key", "s3cret");
        var attempt = new CallbackTokens.Subject(new UUID(1, 2), 3);
        var token = new CallbackTokens(writer).of(Purpose.CALLBACK, attempt.executionId(), attempt.attempt());

        assertThat(new SecretCipher(reader).decrypt("key", secret)).isEqualTo("s3cret");
        assertThat(new CallbackTokens(reader).read(Purpose.CALLBACK, token)).isEqualTo(attempt);
    }

    @Test
    void aGeneratedKeyRingIsValidAndFreshEachTime() {
        assertThat(KeyRing.parse(KeyRing.generate()).activeId()).isEqualTo("k1");
        assertThat(KeyRing.generate()).isNotEqualTo(KeyRing.generate());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | key 1 of the key ring is not of the form id:base64",
                "KEY | key 1 of the key ring is not of the form id:base64",
                "a:KEY, | key 2 of the key ring is not of the form id:base64",
                ":KEY | the id of key 1 of the key ring is not 1 to 16 of a-z, 0-9 and -",
                "KEY:a | the id of key 1 of the key ring is not 1 to 16 of a-z, 0-9 and -",
                "A:KEY | the id of key 1 of the key ring is not 1 to 16 of a-z, 0-9 and -",
                "a23456789-1234567:KEY | the id of key 1 of the key ring is not 1 to 16 of a-z, 0-9 and -",
                "a:KEY,a:KEY | the key ring has two keys with the id 'a'",
                "a: | key 'a' of the key ring has 0 bytes instead of 32",
                "a:QUJD | key 'a' of the key ring has 3 bytes instead of 32",
                "a:KEYKEY | key 'a' of the key ring is not valid base64",
                "a:KEY,b:!KEY | key 'b' of the key ring is not valid base64",
                "a:-_-_ | key 'a' of the key ring is not valid base64"
            })
    void aMalformedKeyRingIsRefusedWithoutShowingKeys(String text, String message) {
        assertThatThrownBy(() -> KeyRing.parse(text.replace("KEY", KEY)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message)
                .hasNoCause();
    }
}
