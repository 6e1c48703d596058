package io.taskexec.client;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that was refused, or has got no answer. {@link #code()} is an error code of the API, or {@link
 * #CONNECTION_FAILED} or {@link #INTERRUPTED}.
 */
public final class TaskexecException extends RuntimeException {
    /** The code where no server has answered. The request may have been carried out. */
    public static final String CONNECTION_FAILED = "CONNECTION_FAILED";

    /** The code where the thread was interrupted before the answer. */
    public static final String INTERRUPTED = "INTERRUPTED";

    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;
    private final @Nullable String requestId;
    private final transient List<Detail> details;
    private final @Nullable Duration retryAfter;
    private boolean mayBeDone;

    /**
     * A part of a body that breaks a rule.
     *
     * @param pointer a JSON Pointer into the body
     * @param message what is wrong there
     */
    public record Detail(String pointer, String message) {}

    TaskexecException(Refusal refusal) {
        super(refusal.code() + ": " + refusal.message());
        this.status = refusal.status();
        this.code = refusal.code();
        this.requestId = refusal.requestId();
        this.details = refusal.details();
        this.retryAfter = refusal.retryAfter();
    }

    TaskexecException(String code, String message, @Nullable Throwable cause) {
        super(code + ": " + message, cause);
        this.status = 0;
        this.code = code;
        this.requestId = null;
        this.details = List.of();
        this.retryAfter = null;
    }

    /** An answer with an error. */
    record Refusal(
            int status,
            String code,
            String message,
            @Nullable String requestId,
            List<Detail> details,
            @Nullable Duration retryAfter) {}

    /**
     * Returns the status of the answer.
     *
     * @return an HTTP status, or 0 without an answer
     */
    public int status() {
        return status;
    }

    /**
     * Returns the error code.
     *
     * @return such as {@code JOB_NOT_FOUND}
     */
    public String code() {
        return code;
    }

    /**
     * Tells whether this is the error.
     *
     * @param code such as {@code JOB_NOT_FOUND}
     * @return whether it is
     */
    public boolean is(String code) {
        return this.code.equals(code);
    }

    /** Whether the same request may be answered later. */
    boolean mayPass() {
        return is(CONNECTION_FAILED)
                || status == Http.SERVER_ERROR
                || status == Http.TOO_MANY_REQUESTS
                || Http.BUSY.contains(status);
    }

    TaskexecException mayBeDone(boolean value) {
        mayBeDone = value;
        return this;
    }

    /**
     * Tells whether the request may have been carried out, although this is an error: a try has got no answer, or one
     * with a status of 500 or more. What was refused after it may have been refused because the earlier try has done
     * it.
     *
     * @return false when it was not carried out for certain
     */
    public boolean mayBeDone() {
        return mayBeDone;
    }

    /**
     * Returns the id of the request, by which the server's log can be searched.
     *
     * @return the id, or null without an answer
     */
    public @Nullable String requestId() {
        return requestId;
    }

    /**
     * Returns the parts of the body that break a rule.
     *
     * @return at most 50
     */
    public List<Detail> details() {
        return details == null ? List.of() : details;
    }

    /**
     * Returns how long the server asks to wait.
     *
     * @return the time, or null when it does not ask
     */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
