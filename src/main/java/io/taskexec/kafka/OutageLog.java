package io.taskexec.kafka;

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

    void began(KafkaException failure) {
        // Of a client that cannot be made, only the cause says why.
        began(
                failure.getCause() == null
                        ? failure.toString()
                        : failure.getMessage() + ": " + failure.getCause().getMessage());
    }

    synchronized void began(String reason) {
        if (!begun) {
            log.warnf("%s, will be tried again: %s", beginning, reason);
        }
        begun = true;
    }

    synchronized boolean isOn() {
        return begun;
    }

    synchronized void ended() {
        if (begun) {
            log.info(ending);
        }
        begun = false;
    }
}
