package io.taskexec.client.worker;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.api.Leases;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The end of an attempt. */
sealed interface Report {
    /** The token of its lease. */
    String lease();

    /** How many bytes it takes in a request, about. */
    default int size() {
        return 300;
    }

    /** It has succeeded. */
    record Completed(String lease, @Nullable JsonNode output, int outputSize) implements Report {
        @Override
        public int size() {
            return Report.super.size() + outputSize;
        }
    }

    /** It has failed. */
    record Failed(String lease, Leases.TaskError error) implements Report {
        @Override
        public int size() {
            return Report.super.size() + 4 * error.message().length();
        }
    }

    /** A callback says how it ends. */
    record Deferred(String lease, @Nullable Duration timeout) implements Report {}

    /** It is handed back. */
    record Released(String lease) implements Report {}
}
