package io.taskexec.dispatch;

import io.taskexec.model.Failure;
import io.taskexec.model.Outcome;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;

/** What it means for the attempt that a call ended without a whole answer. */
final class CallFailure {
    private CallFailure() {}

    /** The outcome when {@code failure} ended a call to {@code target}. */
    static Outcome classify(Throwable failure, HttpTarget target) {
        return failure instanceof EgressBlockedException
                ? new Outcome.FailedForGood(new Failure(Failure.Type.EGRESS_BLOCKED, text(failure)))
                : forNow(Failure.Type.CONNECTION_ERROR, describe(failure, target));
    }

    /** The outcome when the call could not be sent as it stands. */
    static Outcome invalid(InvalidCallException failure) {
        return new Outcome.FailedForGood(new Failure(Failure.Type.INVALID_CONFIGURATION, text(failure)));
    }

    /** The outcome when {@code timeout} passed before the whole answer was there. */
    static Outcome timedOut(Duration timeout) {
        return forNow(Failure.Type.TIMEOUT, "No complete answer within " + timeout.toMillis() + " ms");
    }

    /** The outcome when the fault is ours. */
    static Outcome defect(Throwable failure) {
        return forNow(Failure.Type.INTERNAL_ERROR, "taskexec failed: " + text(failure));
    }

    private static Outcome forNow(Failure.Type type, String message) {
        return new Outcome.FailedForNow(new Failure(type, message), null);
    }

    private static String describe(Throwable failure, HttpTarget target) {
        return switch (failure) {
            case UnknownHostException _ -> "Unknown host " + target.host();
            case ConnectException e -> "Cannot connect to " + target.authority() + ": " + firstPart(text(e));
            case SSLException e -> "TLS with " + target.authority() + " failed: " + text(e);
            case ConnectionPoolTooBusyException _ -> "Too many calls are waiting for " + target.authority();
            case HttpClosedException _ -> target.authority() + " closed the connection before the answer was complete";
            default -> "The call to " + target.authority() + " failed: " + text(failure);
        };
    }

    /** Without the address that Netty adds: the name was asked for, its addresses are nobody else's business. */
    private static String firstPart(String message) {
        var end = message.indexOf(": ");
        return end < 0 ? message : message.substring(0, end);
    }

    private static String text(Throwable failure) {
        var message = failure.getMessage();
        return PlainText.of(message == null ? failure.getClass().getSimpleName() : message);
    }
}
