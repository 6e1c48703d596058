package io.taskexec.secret;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.secret.CallbackTokens.Purpose;
import io.taskexec.secret.CallbackTokens.Subject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallbackTokensTest {
    private static final UUID ID = UUID.fromString("01a208d6-9cf5-7000-96d3-81c000000001");
    private static final String OLD = KeyRing.generate().replace("k1:", "old:");
    private static final String NEW = KeyRing.generate().replace("k1:", "new:");

    private static CallbackTokens tokens(String ring) {
        return new CallbackTokens(KeyRing.parse(ring));
    }

    @Test
    void aTokenNamesItsAttempt() {
        var token = tokens(OLD).of(Purpose.CALLBACK, ID, 32_767);

        assertThat(token).matches("old\\.[A-Za-z0-9_-]{46}");
        assertThat(tokens(OLD).read(Purpose.CALLBACK, token)).isEqualTo(new Subject(ID, 32_767));
        assertThat(tokens(OLD).of(Purpose.CALLBACK, ID, 1))
                .isNotEqualTo(tokens(OLD).of(Purpose.CALLBACK, ID, 2));
    }

    @Test
    void aTokenOfAnOlderKeyIsRead() {
        var token = tokens(OLD).of(Purpose.CALLBACK, ID, 1);

        assertThat(tokens(NEW + "," + OLD).read(Purpose.CALLBACK, token)).isEqualTo(new Subject(ID, 1));
        assertThat(tokens(NEW).read(Purpose.CALLBACK, token)).isNull();
    }

    @Test
    void aTokenOfAnotherPurposeIsNone() {
        var token = tokens(OLD).of(Purpose.APPROVAL, ID, 1);

        assertThat(tokens(OLD).read(Purpose.CALLBACK, token)).isNull();
    }

    @Test
    void aTokenThatDiffersInOneCharacterIsNone() {
        var token = tokens(OLD).of(Purpose.CALLBACK, ID, 1);
        for (var i = 0; i < token.length() - 1; i++) {
            var other = token.charAt(i) == 'A' ? 'B' : 'A';

            assertThat(tokens(OLD).read(Purpose.CALLBACK, token.substring(0, i) + other + token.substring(i + 1)))
                    .as("at " + i)
                    .isNull();
        }
        for (var wrong : new String[] {"", ".", "old.", "old", token + "A", token + "=", token.substring(0, 40)}) {
            assertThat(tokens(OLD).read(Purpose.CALLBACK, wrong)).as(wrong).isNull();
        }
    }
}
