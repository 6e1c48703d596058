package io.taskexec.cli.client;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A server, and the key for it.
 *
 * @param token the key itself
 * @param tokenFile a file that has it instead
 */
record Target(String url, @Nullable String token, @Nullable Path tokenFile) {
    /** Where a server is that nobody has said anything about. */
    static final String USUAL_URL = "http://127.0.0.1:8080";

    @Override
    public String toString() {
        return "Target[" + url + "]";
    }
}
