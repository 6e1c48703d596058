package io.taskexec.client.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fails an attempt, and says when the next one may begin. Any other exception fails an attempt too; its retry policy
 * says when the next one begins.
 */
public class RetryableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Duration retryAfter;

    /**
     * Makes one.
     *
     * @param message for people
     * @param retryAfter how long to wait at least
     * @param cause null for none
     */
    public RetryableException(String message, Duration retryAfter, @Nullable Throwable cause) {
        super(message, cause);
        this.retryAfter = retryAfter;
    }

    /**
     * Returns how long to wait.
     *
     * @return the time
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
