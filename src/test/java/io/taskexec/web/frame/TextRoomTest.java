package io.taskexec.web.frame;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TextRoomTest {
    private final TextRoom room = new TextRoom(10_000, 2_000, 4);

    @Test
    void aTextThatHasRoomIsShownAsAWhole() {
        assertThat(room.take("a < b")).hasToString("a &lt; b");
    }

    @Test
    void aLongTextIsCutAndSaysByHowMuch() {
        assertThat(room.take("x".repeat(3_000)).toString()).endsWith("xx\n… 1,000 more characters");
    }

    @Test
    void aTextFitsAsLongAsItWouldNotBeCut() {
        assertThat(room.fits("x".repeat(2_000))).isTrue();
        assertThat(room.fits("x".repeat(2_001))).isFalse();
        assertThat(room.fits("<".repeat(1_000))).isFalse();
        assertThat(room.take("x".repeat(2_000)).toString()).hasSize(2_000);
        assertThat(room.take("x".repeat(2_000)).toString()).hasSize(2_000);
        assertThat(room.fits("x".repeat(2_000))).isFalse();
    }

    @Test
    void allTextsTogetherStayInTheRoomHoweverTheyAreEscaped() {
        var bytes = IntStream.range(0, 20)
                .mapToObj(_ -> room.take("<&🙂".repeat(5_000)).toString())
                .mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();

        // Each has its first 40 characters and says what is missing.
        assertThat(bytes).isLessThan(10_000 + 20 * 250);
    }

    @Test
    void aShortTextIsShownAsAWholeAfterManyLongOnes() {
        for (var i = 0; i < 100; i++) {
            var _ = room.take("x".repeat(2_000));
        }

        assertThat(room.take("Deploy 1.4?")).hasToString("Deploy 1.4?");
    }
}
