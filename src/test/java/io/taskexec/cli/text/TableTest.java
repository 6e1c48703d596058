package io.taskexec.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableTest {
    private static final Table TABLE = new Table(List.of(
            new Column("NAME", Column.Kind.ID),
            new Column("STATUS", Column.Kind.STATUS),
            new Column("MESSAGE", Column.Kind.TEXT),
            new Column("N", Column.Kind.NUMBER)));
    private static final List<List<String>> ROWS = List.of(
            List.of("exec_1", "FAILED", "the receiver did not answer in time", "7"),
            List.of("exec_22", "SUCCESS", "", "12"));

    @Test
    void columnsAreAsWideAsTheirWidestTextAndNumbersEndTogether() {
        assertThat(String.join("\n", TABLE.lines(ROWS, Terminal.UNBOUNDED, AnsiStyle.PLAIN)))
                .isEqualTo("""
                NAME     STATUS   MESSAGE                               N
                exec_1   FAILED   the receiver did not answer in time   7
                exec_22  SUCCESS                                       12""");
    }

    @Test
    void whatIsTooWideLosesTheEndsOfItsLongestTextsAndNeverAnId() {
        assertThat(String.join("\n", TABLE.lines(ROWS, 40, AnsiStyle.PLAIN))).isEqualTo("""
                NAME     STATUS   MESSAGE              N
                exec_1   FAILED   the receiver did …   7
                exec_22  SUCCESS                      12""");
    }

    @ParameterizedTest
    @ValueSource(ints = {31, 24, 12, 7})
    void everyLineFitsAndTheFirstColumnStays(int width) {
        assertThat(TABLE.lines(ROWS, width, AnsiStyle.PLAIN))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width))
                .anySatisfy(line -> assertThat(line).startsWith("exec_22"));
    }

    @Test
    void aStatusIsPaintedWithoutMovingWhatFollows() {
        assertThat(TABLE.lines(ROWS, Terminal.UNBOUNDED, AnsiStyle.COLORED).get(1))
                .contains("\u001b[31mFAILED\u001b[39m\u001b[0m   the receiver");
    }

    @Test
    void textFromElsewhereCannotCommandTheTerminal() {
        var rows = List.of(List.of("a\u001b[2J", "b\nc", "d\u202ee", "1"));

        assertThat(TABLE.lines(rows, Terminal.UNBOUNDED, AnsiStyle.PLAIN).get(1))
                .startsWith("a\\u001b[2J  b c     d\\u202ee");
    }

    @Test
    void aTableWithoutRowsHasItsTitles() {
        assertThat(TABLE.lines(List.of(), 80, AnsiStyle.PLAIN)).containsExactly("NAME  STATUS  MESSAGE  N");
    }
}
