package io.taskexec.log;

import io.quarkus.logging.LoggingFilter;
import io.taskexec.model.VisibleText;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtFormatter;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jspecify.annotations.Nullable;

/** Lines of text in a log are read on terminals, which must not be commanded by what clients and receivers say. */
@LoggingFilter(name = VisibleLog.NAME)
public final class VisibleLog implements Filter {
    /** What settings of logs call it. */
    public static final String NAME = "visible";

    private static final ExtFormatter FORMATTER = new PatternFormatter("%s");

    private static final int DEEPEST = 50;

    @Override
    public boolean isLoggable(LogRecord line) {
        var wrapped = ExtLogRecord.wrap(line);
        var message = FORMATTER.formatMessage(wrapped);
        if (message != null && VisibleText.hasHidden(message)) {
            wrapped.setMessage(VisibleText.of(message), ExtLogRecord.FormatStyle.NO_FORMAT);
        }
        var thrown = line.getThrown();
        if (thrown != null && hasHidden(thrown)) {
            line.setThrown(new Shown(thrown, DEEPEST));
        }
        return true;
    }

    private static boolean hasHidden(Throwable thrown) {
        var depth = 0;
        for (Throwable one = thrown; one != null && depth < DEEPEST; one = one.getCause()) {
            if (VisibleText.hasHidden(one.toString())) {
                return true;
            }
            depth++;
        }
        return false;
    }

    /** Stands for another throwable, with what it and its causes say and where they come from. */
    private static final class Shown extends Throwable {
        private static final long serialVersionUID = 1;

        private final String text;

        Shown(Throwable shown, int deepest) {
            super(null, cause(shown.getCause(), deepest), false, true);
            this.text = VisibleText.of(shown.toString());
            setStackTrace(shown.getStackTrace());
        }

        private static @Nullable Throwable cause(@Nullable Throwable cause, int deepest) {
            return cause == null || deepest == 0 ? null : new Shown(cause, deepest - 1);
        }

        // It begins with the name of the other throwable.
        @Override
        @SuppressWarnings("OverrideThrowableToString")
        public String toString() {
            return text;
        }
    }
}
