package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.cli.text.Ink.Choice;
import org.junit.jupiter.api.Test;

class InkTest {
    private static final Terminal SHOWN = new Terminal(true, 80, 24, false);

    @Test
    void coloursAreForATerminalThatDidNotDeclineThem() {
        assertThat(Ink.of(Choice.AUTO, SHOWN, null)).isEqualTo(Ink.COLORED);
        assertThat(Ink.of(Choice.AUTO, SHOWN, "")).isEqualTo(Ink.COLORED);
        assertThat(Ink.of(Choice.AUTO, SHOWN, "1")).isEqualTo(Ink.PLAIN);
        assertThat(Ink.of(Choice.AUTO, Terminal.NONE, null)).isEqualTo(Ink.PLAIN);
        assertThat(Ink.of(Choice.AUTO, new Terminal(true, 80, 24, true), null)).isEqualTo(Ink.PLAIN);
    }

    @Test
    void whatIsSaidOnTheCommandLineCounts() {
        assertThat(Ink.of(Choice.ALWAYS, Terminal.NONE, "1")).isEqualTo(Ink.COLORED);
        assertThat(Ink.of(Choice.NEVER, SHOWN, null)).isEqualTo(Ink.PLAIN);
    }
}
