package io.taskexec.cli.client;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The address of a server and its API key.
 *
 * @param token the API key
 * @param tokenFile a file with the API key
 */
record ServerTarget(
        String url, @Nullable String token, @Nullable Path tokenFile) {
    static final String DEFAULT_URL = "http://127.0.0.1:8080";

    @Override
    public String toString() {
        return "Target[" + url + "]";
    }
}
