package io.taskexec.testing;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;

/** Records what one logger writes from INFO on, beside the log itself. */
public final class RecordedLog implements AutoCloseable {
    private final Logger logger;
    private final Recorder recorder = new Recorder();

    /**
     * A line of the log.
     *
     * @param fields its {@code mdc}
     */
    public record Line(Level level, String message, Map<String, String> fields) {}

    private RecordedLog(String name) {
        this.logger = Logger.getLogger(name);
        logger.setLevel(Level.INFO);
        logger.addHandler(recorder);
    }

    /** Begins to record the lines of a class. */
    public static RecordedLog of(Class<?> type) {
        return of(type.getName());
    }

    /** The same of a class that is not visible. */
    public static RecordedLog of(String type) {
        return new RecordedLog(type);
    }

    /** The lines so far. */
    public List<Line> lines() {
        return List.copyOf(recorder.lines);
    }

    /** Their messages. */
    public List<String> messages() {
        return recorder.lines.stream().map(Line::message).toList();
    }

    @Override
    public void close() {
        logger.removeHandler(recorder);
        logger.setLevel(null);
    }

    private static final class Recorder extends Handler {
        /** Without the trace of an exception. */
        private static final PatternFormatter MESSAGE = new PatternFormatter("%s");

        private final List<Line> lines = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord entry) {
            var line = ExtLogRecord.wrap(entry);
            lines.add(new Line(line.getLevel(), MESSAGE.format(line), line.getMdcCopy()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
