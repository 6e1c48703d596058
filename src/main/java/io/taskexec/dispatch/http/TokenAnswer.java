package io.taskexec.dispatch.http;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.secret.Redaction;

/** The answer to a request for an access token. */
sealed interface TokenAnswer {
    /**
     * A token that was issued.
     *
     * @param renewAt when another one is to be asked for; a moment of the monotonic clock, as is the next
     * @param expiresAt when it is no longer of use
     * @param redaction takes it out of texts
     */
    record Token(String value, long renewAt, long expiresAt, Redaction redaction) implements TokenAnswer {}

    /**
     * The token is absent.
     *
     * @param outcome the outcome of the attempt that needs it
     */
    record Refused(Outcome outcome) implements TokenAnswer {}
}
