package io.taskexec.observe.log;

import io.quarkus.logging.LoggingFilter;
import io.taskexec.model.VisibleText;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtFormatter;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jspecify.annotations.Nullable;

/** Lines of a log are read on terminals, in JSON too, which must not be commanded by what clients and receivers say. */
@LoggingFilter(name = VisibleLog.NAME)
public final class VisibleLog implements Filter {
    /** Its name in the settings of the log. */
    public static final String NAME = "visible";

    private static final ExtFormatter FORMATTER = new PatternFormatter("%s");

    /** Of a throwable and those behind it, which may be each other's causes. */
    private static final int MOST = 50;

    @Override
    public boolean isLoggable(LogRecord line) {
        var wrapped = ExtLogRecord.wrap(line);
        var message = FORMATTER.formatMessage(wrapped);
        if (message != null && VisibleText.hasHidden(message)) {
            wrapped.setMessage(VisibleText.of(message), ExtLogRecord.FormatStyle.NO_FORMAT);
        }
        var thrown = line.getThrown();
        if (thrown != null && hasHidden(thrown, noneYet())) {
            line.setThrown(Shown.of(thrown, noneYet()));
        }
        return true;
    }

    private static Set<Throwable> noneYet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    private static boolean hasHidden(@Nullable Throwable thrown, Set<Throwable> seen) {
        return thrown != null
                && isNew(thrown, seen)
                && (VisibleText.hasHidden(thrown.toString())
                        || hasHidden(thrown.getCause(), seen)
                        || Arrays.stream(thrown.getSuppressed()).anyMatch(one -> hasHidden(one, seen)));
    }

    private static boolean isNew(Throwable thrown, Set<Throwable> seen) {
        return seen.size() < MOST && seen.add(thrown);
    }

    /** Stands for another throwable, with what it and those behind it say and where they come from. */
    private static final class Shown extends Throwable {
        private static final long serialVersionUID = 1;

        private final String text;

        private Shown(Throwable shown, Set<Throwable> seen) {
            super(null, of(shown.getCause(), seen), true, true);
            this.text = VisibleText.of(shown.toString());
            setStackTrace(shown.getStackTrace());
            for (var suppressed : shown.getSuppressed()) {
                var copy = of(suppressed, seen);
                if (copy != null) {
                    addSuppressed(copy);
                }
            }
        }

        static @Nullable Throwable of(@Nullable Throwable thrown, Set<Throwable> seen) {
            return thrown != null && isNew(thrown, seen) ? new Shown(thrown, seen) : null;
        }

        // It begins with the name of the other throwable.
        @Override
        @SuppressWarnings("OverrideThrowableToString")
        public String toString() {
            return text;
        }
    }
}
