package io.taskexec.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretCipherTest {
    private static final String OLD = "old:" + base64OfKey('o');
    private static final String NEW = "new:" + base64OfKey('n');
    private final SecretCipher cipher = new SecretCipher(KeyRing.parse(NEW + "," + OLD));

    @ParameterizedTest
    @ValueSource(strings = {"", "s3cret", "naïve 🎉 \u0000\n", "{{input.x}}"})
    void whatIsEncryptedComesBack(String plaintext) {
        assertThat(cipher.decrypt("key", cipher.encrypt("key", plaintext))).isEqualTo(plaintext);
    }

    @Test
    void aMebibyteComesBack() {
        var plaintext = "é".repeat(1 << 19);

        assertThat(cipher.decrypt("key", cipher.encrypt("key", plaintext))).isEqualTo(plaintext);
    }

    @Test
    void theSameSecretNeverLooksTheSame() {
        assertThat(cipher.encrypt("key", "s3cret")).isNotEqualTo(cipher.encrypt("key", "s3cret"));
    }

    @Test
    void aBlobStartsWithItsFormatAndKeyId() {
        var blob = cipher.encrypt("key", "s3cret");

        assertThat(blob).startsWith(1, 3, 'n', 'e', 'w').hasSize(5 + 12 + 6 + 16);
        assertThat(cipher.keyId(blob)).isEqualTo("new");
    }

    @Test
    void aBlobOfAnOlderKeyStillDecrypts() {
        var blob = new SecretCipher(KeyRing.parse(OLD)).encrypt("key", "s3cret");

        assertThat(cipher.keyId(blob)).isEqualTo("old");
        assertThat(cipher.decrypt("key", blob)).isEqualTo("s3cret");
    }

    @Test
    void whatAnOlderKeyHasEncryptedIsEncryptedWithTheActiveOne() {
        var old = new SecretCipher(KeyRing.parse(OLD)).encrypt("key", "s3cret");

        var blob = Objects.requireNonNull(cipher.withActiveKey("key", old));

        assertThat(new SecretCipher(KeyRing.parse(NEW)).decrypt("key", blob)).isEqualTo("s3cret");
        assertThat(cipher.withActiveKey("key", blob)).isNull();
        assertThatThrownBy(() -> cipher.withActiveKey("other", blob)).isInstanceOf(SecretUnreadableException.class);
    }

    @Test
    void aKeyThatIsGoneIsNamed() {
        var blob = cipher.encrypt("email", "s3cret");

        assertThatThrownBy(() -> new SecretCipher(KeyRing.parse(OLD)).decrypt("email", blob))
                .isInstanceOf(SecretUnreadableException.class)
                .hasMessage(
                        "secret 'email' cannot be read: it was encrypted with key 'new', which the key ring does not"
                                + " have");
    }

    @Test
    void aBlobOpensOnlyUnderItsName() {
        var blob = cipher.encrypt("email", "s3cret");

        assertThatThrownBy(() -> cipher.decrypt("emai", blob))
                .isInstanceOf(SecretUnreadableException.class)
                .hasMessage(
                        "secret 'emai' cannot be read: what key 'new' should open was changed, or belongs to another"
                                + " key or name");
    }

    @Test
    void anotherKeyUnderTheSameIdDoesNotOpenIt() {
        var blob = cipher.encrypt("email", "s3cret");
        var other = new SecretCipher(KeyRing.parse("new:" + base64OfKey('x')));

        assertThatThrownBy(() -> other.decrypt("email", blob)).isInstanceOf(SecretUnreadableException.class);
    }

    @Test
    void aChangeOfAnyBitIsNoticed() {
        var blob = cipher.encrypt("key", "s3cret");

        for (var bit = 0; bit < blob.length * Byte.SIZE; bit++) {
            var changed = blob.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThatThrownBy(() -> cipher.decrypt("key", changed)).isInstanceOf(SecretUnreadableException.class);
        }
    }

    @Test
    void aBlobThatWasCutIsUnreadable() {
        var blob = cipher.encrypt("key", "s3cret");

        for (var length = 0; length < blob.length; length++) {
            var cut = Arrays.copyOf(blob, length);
            assertThatThrownBy(() -> cipher.decrypt("key", cut))
                    .isInstanceOf(SecretUnreadableException.class)
                    .hasMessageStartingWith("secret 'key' cannot be read: ");
        }
    }

    @Test
    void theKeyIdOfADamagedBlobIsUnknown() {
        assertThatThrownBy(() -> cipher.keyId(new byte[] {1, 127, 0}))
                .isInstanceOf(SecretUnreadableException.class)
                .hasMessage("a stored secret is damaged or of a newer version of taskexec");
    }

    @Test
    void halfASurrogatePairIsRefused() {
        assertThatThrownBy(() -> cipher.encrypt("key", "s3cret\ud83c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the value of secret 'key' is not valid Unicode");
    }

    @Test
    void manyThreadsMayShareIt() {
        assertThat(IntStream.range(0, 2_000).parallel().mapToObj(i -> {
                    var text = "secret " + i;
                    return cipher.decrypt("n" + i, cipher.encrypt("n" + i, text))
                            .equals(text);
                }))
                .containsOnly(true);
    }

    private static String base64OfKey(char fill) {
        var key = new byte[32];
        Arrays.fill(key, (byte) fill);
        return Base64.getEncoder().encodeToString(key);
    }
}
