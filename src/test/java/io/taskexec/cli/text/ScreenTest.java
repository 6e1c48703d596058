package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScreenTest {
    private final StringWriter printed = new StringWriter();
    private final Screen screen = new Screen(new PrintWriter(printed));

    @Test
    void asManyLinesAreShownAsThereIsRoomForAboveTheCursor() {
        screen.show(List.of("one", "two", "three", "four"), 4);

        assertThat(printed.toString()).contains("one", "two", "three").doesNotContain("four");
        assertThat(printed.toString().lines()).hasSize(4);
    }

    @Test
    void aTerminalWithoutASizeShowsAll() {
        screen.show(List.of("one", "two"), Terminal.UNBOUNDED);

        assertThat(printed.toString()).contains("one", "two");
    }

    @Test
    void onlyTheFirstTimeClearsAndALongLineIsCutByTheTerminal() {
        screen.show(List.of("one"), 24);
        screen.show(List.of("other"), 24);

        assertThat(printed.toString()).containsOnlyOnce("\u001b[2J").startsWith("\u001b[2J\u001b[H\u001b[?7l");
        assertThat(printed.toString()).endsWith("other\u001b[K\r\n\u001b[?7h\u001b[J");
    }
}
