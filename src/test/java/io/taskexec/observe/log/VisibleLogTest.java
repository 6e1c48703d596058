package io.taskexec.observe.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.Level;
import org.jboss.logmanager.formatters.JsonFormatter;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;

class VisibleLogTest {
    private static String logged(ExtLogRecord line) {
        assertThat(new VisibleLog().isLoggable(line)).isTrue();
        return new PatternFormatter("%m%n%e").format(line);
    }

    @Test
    void whatATerminalWouldObeyIsWrittenOutInMessages() {
        var line = new ExtLogRecord(Level.WARN, "the receiver says %s", ExtLogRecord.FormatStyle.PRINTF, "log");
        line.setParameters(new Object[] {"a\u001b[2J\u202Eb %s"});

        assertThat(logged(line).strip()).isEqualTo("the receiver says a\\u001b[2J\\u202eb %s");
    }

    @Test
    void andInThoseOfFailuresAndTheirCausesWhichSayWhereTheyComeFrom() {
        var cause = new IllegalArgumentException("not \u202Ethat");
        var line = new ExtLogRecord(Level.ERROR, "it fails", ExtLogRecord.FormatStyle.NO_FORMAT, "log");
        line.setThrown(new IllegalStateException("this \u001b[2J", cause));

        assertThat(logged(line))
                .contains("it fails", "java.lang.IllegalStateException: this \\u001b[2J")
                .contains("Caused by: java.lang.IllegalArgumentException: not \\u202ethat")
                .contains("at io.taskexec.observe.log.VisibleLogTest.")
                .doesNotContain("\u001b", "\u202E");
    }

    @Test
    void andInThoseThatWereSuppressedWhichMayGoRoundInACircle() {
        var thrown = new IllegalStateException("this");
        var suppressed = new IllegalArgumentException("not \u202Ethat", new IllegalStateException("nor \u001b[2J"));
        thrown.addSuppressed(suppressed);
        suppressed.addSuppressed(thrown);
        var line = new ExtLogRecord(Level.ERROR, "it fails", ExtLogRecord.FormatStyle.NO_FORMAT, "log");
        line.setThrown(thrown);

        assertThat(logged(line))
                .contains("java.lang.IllegalStateException: this")
                .contains("Suppressed: java.lang.IllegalArgumentException: not \\u202ethat")
                .contains("Caused by: java.lang.IllegalStateException: nor \\u001b[2J")
                .doesNotContain("\u001b", "\u202E");
    }

    /** It writes out what JSON must not have in it, and lets what turns or begins a command of terminals pass. */
    @Test
    void linesOfJsonAreReadOnTerminalsToo() {
        var line = new ExtLogRecord(Level.WARN, "a\u009b2J\u202Eb", ExtLogRecord.FormatStyle.NO_FORMAT, "log");
        assertThat(new JsonFormatter().format(line)).contains("\u009b", "\u202E");

        assertThat(new VisibleLog().isLoggable(line)).isTrue();

        assertThat(new JsonFormatter().format(line)).contains("a\\\\u009b2J\\\\u202eb");
    }

    @Test
    void aLineWithoutThemIsLeftAsItIs() {
        var thrown = new IllegalStateException("plain");
        var line = new ExtLogRecord(Level.INFO, "naïve %s", ExtLogRecord.FormatStyle.PRINTF, "log");
        line.setParameters(new Object[] {"🎉"});
        line.setThrown(thrown);

        assertThat(logged(line)).startsWith("naïve 🎉");
        assertThat(line.getThrown()).isSameAs(thrown);
        assertThat(line.getMessage()).isEqualTo("naïve %s");
    }
}
