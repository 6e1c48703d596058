package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;

/** Shows what picocli's table cannot do, which is why {@link Table} exists (docs/adr/0008). */
class TextTableTest {
    private static String cut(String text, int width) {
        var table = TextTable.forColumns(
                Help.defaultColorScheme(Ansi.OFF),
                new Column(width, 0, Overflow.TRUNCATE),
                new Column(1, 0, Overflow.TRUNCATE));
        table.addRowValues(Ansi.OFF.text(text), Ansi.OFF.text("|"));
        return table.toString().stripTrailing();
    }

    @Test
    void aLongTextIsCutWithoutAMark() {
        assertThat(cut("the receiver did not answer", 12)).isEqualTo("the receiver|");
    }

    @Test
    void anEmojiIsAnErrorSinceUnitsOfUtf16AreCounted() {
        assertThatThrownBy(() -> cut("ab🎉c", 3)).isInstanceOf(StringIndexOutOfBoundsException.class);
    }

    @Test
    void numbersAreAlignedToTheLeft() {
        assertThat(cut("7", 3)).isEqualTo("7  |");
    }

    @Test
    void controlCharactersReachTheTerminal() {
        assertThat(cut("a\u001b[2J", 6)).contains("\u001b[2J");
    }
}
