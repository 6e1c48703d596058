package io.taskexec.secret;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.secret.SignedTexts.Use;
import org.junit.jupiter.api.Test;

class SignedTextsTest {
    private final String ring = KeyRing.generate();
    private final SignedTexts texts = new SignedTexts(KeyRing.parse(ring));

    @Test
    void aTextIsReadBack() {
        var signed = texts.sign(Use.SESSION, "17 key_x");

        assertThat(signed).matches("[A-Za-z0-9._-]+");
        assertThat(texts.read(Use.SESSION, signed)).isEqualTo("17 key_x");
    }

    @Test
    void whatWasChangedOrMadeForAnotherUseIsUnknown() {
        var signed = texts.sign(Use.SESSION, "17 key_x");
        var other = texts.sign(Use.SESSION, "99 key_x");
        var forged = other.substring(0, other.lastIndexOf('.')) + signed.substring(signed.lastIndexOf('.'));

        assertThat(texts.read(Use.FORM, signed)).isNull();
        assertThat(texts.read(Use.SESSION, forged)).isNull();
        assertThat(texts.read(Use.SESSION, signed + "A")).isNull();
        for (var nonsense : new String[] {"", ".", "..", "k1..", "k1.%%.x", "x".repeat(5_000)}) {
            assertThat(texts.read(Use.SESSION, nonsense)).as(nonsense).isNull();
        }
    }

    @Test
    void aKeyThatIsNotTheFirstAnyMoreStillReads() {
        var signed = texts.sign(Use.SESSION, "text");
        var next = new SignedTexts(KeyRing.parse(KeyRing.generate().replace("k1", "k2") + "," + ring));

        assertThat(next.read(Use.SESSION, signed)).isEqualTo("text");
        assertThat(new SignedTexts(KeyRing.parse(KeyRing.generate())).read(Use.SESSION, signed))
                .isNull();
    }

    @Test
    void aMarkFitsItsTextAndUseAlone() {
        var mark = texts.mark(Use.FORM, "session");

        assertThat(texts.isMark(Use.FORM, "session", mark)).isTrue();
        assertThat(texts.isMark(Use.FORM, "another", mark)).isFalse();
        assertThat(texts.isMark(Use.SESSION, "session", mark)).isFalse();
    }
}
