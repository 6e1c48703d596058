package io.taskexec.kafka;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;

/** Says once when brokers cannot be used and once when they can again, instead of with each try. */
final class OutageLog {
    private final Logger log;
    private final String beginning;
    private final String ending;
    private boolean begun;

    OutageLog(Logger log, String beginning, String ending) {
        this.log = log;
        this.beginning = beginning;
        this.ending = ending;
    }

    /** Whether a failure is that of brokers or of the connection to them. */
    static boolean areExpected(Throwable failure) {
        return failure instanceof KafkaException || failure instanceof ExecutionException;
    }

    synchronized void began(String reason) {
        if (!begun) {
            log.warnf("%s, will be tried again: %s", beginning, reason);
        }
        begun = true;
    }

    synchronized void ended() {
        if (begun) {
            log.info(ending);
        }
        begun = false;
    }

    /** Describes such a failure. */
    static String reason(Throwable failure) {
        var cause = failure instanceof ExecutionException && failure.getCause() != null ? failure.getCause() : failure;
        // Of a client that cannot be made, only the cause says why.
        return cause.getCause() == null
                ? cause.toString()
                : cause.getMessage() + ": " + cause.getCause().getMessage();
    }
}
