package io.taskexec.dispatch.http;

import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.NotSslRecordException;
import io.smallrye.mutiny.Uni;
import io.taskexec.dispatch.delivery.PlainText;
import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Classifies calls that ended without a whole answer. */
public final class CallFailure {
    private CallFailure() {}

    /** The outcome when {@code failure} ended a call to {@code target}, through a proxy or not. */
    static Outcome classify(Throwable failure, HttpTarget target, boolean proxied) {
        return failure instanceof EgressBlockedException
                ? new Outcome.PermanentFailure(new Failure(Failure.Type.EGRESS_BLOCKED, PlainText.of(failure)))
                : retryable(Failure.Type.CONNECTION_ERROR, describe(failure, target, proxied));
    }

    /** Begins a call; whatever ends it otherwise than with an outcome becomes one. */
    public static Uni<Outcome> orOutcome(Supplier<Uni<? extends Outcome>> begin) {
        return Uni.createFrom().deferred(begin).onFailure().recoverWithItem(CallFailure::ofException);
    }

    /** The outcome when the call could not be sent as it stands, or the fault is ours. */
    static Outcome ofException(Throwable failure) {
        return failure instanceof InvalidCallException
                ? new Outcome.PermanentFailure(new Failure(Failure.Type.INVALID_CONFIGURATION, PlainText.of(failure)))
                : defect(failure);
    }

    /** The outcome when {@code timeout} passed before the whole answer was there. */
    public static Outcome timedOut(Duration timeout) {
        return retryable(Failure.Type.TIMEOUT, "No complete answer within " + timeout.toMillis() + " ms");
    }

    /** The outcome when a proxy does not take our word for who we are. */
    static Outcome refusedByProxy() {
        return retryable(Failure.Type.CONNECTION_ERROR, "The proxy demands a user and a password, or others");
    }

    /** The outcome when there is no room for one more TLS identity. */
    static Outcome tooManyIdentities() {
        return retryable(Failure.Type.CONNECTION_ERROR, "Too many TLS identities are in use");
    }

    /** The outcome when the fault is ours. */
    static Outcome defect(Throwable failure) {
        return retryable(Failure.Type.INTERNAL_ERROR, "taskexec failed: " + PlainText.of(failure));
    }

    private static Outcome retryable(Failure.Type type, String message) {
        return new Outcome.RetryableFailure(new Failure(type, message), null);
    }

    private static String describe(Throwable failure, HttpTarget target, boolean proxied) {
        return switch (failure) {
            case UnknownHostException _ -> proxied ? "Unknown host of the proxy" : "Unknown host " + target.host();
            case ProxyConnectException e ->
                "The proxy does not connect to " + target.authority() + ": " + proxyReason(PlainText.of(e));
            case ConnectException e ->
                "Cannot connect to " + (proxied ? "the proxy for " : "") + target.authority() + ": "
                        + firstPart(PlainText.of(e));
            case SSLException e -> "TLS with " + target.authority() + " failed: " + tlsReason(e);
            case ConnectionPoolTooBusyException _ -> "Too many calls are waiting for " + target.authority();
            case HttpClosedException _, ClosedChannelException _ ->
                target.authority() + " closed the connection before the answer was complete";
            case StreamResetException e ->
                target.authority() + " broke the call off with the HTTP/2 error " + e.getCode();
            default -> "The call to " + target.authority() + " failed: " + PlainText.of(failure);
        };
    }

    /** The message of the handshake: the client wraps it in a failure that says only that there was one. */
    private static String tlsReason(SSLException failure) {
        Throwable reason = failure;
        for (@Nullable Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException) {
                reason = cause;
            }
        }
        return switch (reason) {
            // Its message has the bytes that came.
            case NotSslRecordException _ -> "the answer is not TLS";
            case ClosedChannelException _ -> "the connection was closed";
            default -> PlainText.of(reason);
        };
    }

    /** Without the addresses of the proxy and the target, which Netty puts before it. */
    private static String proxyReason(String message) {
        var status = message.lastIndexOf("status: ");
        return status >= 0
                ? message.substring(status + "status: ".length())
                : message.substring(message.lastIndexOf(", ") + 1).strip();
    }

    /** Without the address that Netty adds: the caller gave the name, and must not learn its addresses. */
    private static String firstPart(String message) {
        var end = message.indexOf(": ");
        return end < 0 ? message : message.substring(0, end);
    }
}
