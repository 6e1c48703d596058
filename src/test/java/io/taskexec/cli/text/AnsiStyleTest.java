package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.cli.text.AnsiStyle.ColorMode;
import org.junit.jupiter.api.Test;

class AnsiStyleTest {
    private static final Terminal SHOWN = new Terminal(true, 80, 24, false);

    @Test
    void coloursAreForATerminalThatDidNotDeclineThem() {
        assertThat(AnsiStyle.of(ColorMode.AUTO, SHOWN, null)).isEqualTo(AnsiStyle.COLORED);
        assertThat(AnsiStyle.of(ColorMode.AUTO, SHOWN, "")).isEqualTo(AnsiStyle.COLORED);
        assertThat(AnsiStyle.of(ColorMode.AUTO, SHOWN, "1")).isEqualTo(AnsiStyle.PLAIN);
        assertThat(AnsiStyle.of(ColorMode.AUTO, Terminal.NONE, null)).isEqualTo(AnsiStyle.PLAIN);
        assertThat(AnsiStyle.of(ColorMode.AUTO, new Terminal(true, 80, 24, true), null))
                .isEqualTo(AnsiStyle.PLAIN);
    }

    @Test
    void whatIsSaidOnTheCommandLineCounts() {
        assertThat(AnsiStyle.of(ColorMode.ALWAYS, Terminal.NONE, "1")).isEqualTo(AnsiStyle.COLORED);
        assertThat(AnsiStyle.of(ColorMode.NEVER, SHOWN, null)).isEqualTo(AnsiStyle.PLAIN);
    }
}
