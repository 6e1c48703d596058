package io.taskexec.dispatch.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.taskexec.dispatch.delivery.PlainText;
import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Classifies deliveries to Redis that ended without the id of an entry. */
final class RedisFailure {
    /** The place of an error in the script, which Redis 6 and older name, once or twice, before the error itself. */
    private static final Pattern PLACE_IN_SCRIPT = Pattern.compile("^(?:(?:ERR [^@]*)?@\\S*?:\\s*\\d+:\\s*-?)+");

    /** The beginnings of answers that another attempt would get again. */
    private static final Set<String> LASTING =
            Set.of("ERR", "WRONGTYPE", "NOPERM", "NOAUTH", "WRONGPASS", "CROSSSLOT", "NOPROTO");

    private static final Set<String> OF_REPLICA = Set.of("READONLY", "MASTERDOWN");

    /** Answers that begin like others, and pass. */
    private static final List<String> PASSING = List.of("ERR max number of clients reached");

    /** The answer of Redis 6 where later versions say NOPERM. */
    private static final String MAY_NOT = "The user executing the script can't ";

    private RedisFailure() {}

    /** The outcome when {@code failure} ended a delivery to {@code target}. */
    static Outcome classify(Throwable failure, RedisTarget target) {
        var root = failure;
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            var known = known(cause, target);
            if (known != null) {
                return known;
            }
            root = cause;
        }
        return broken("The connection to " + target + " broke: " + PlainText.of(root));
    }

    private static @Nullable Outcome known(Throwable cause, RedisTarget target) {
        return switch (cause) {
            case EgressBlockedException e ->
                new Outcome.PermanentFailure(new Failure(Failure.Type.EGRESS_BLOCKED, PlainText.of(e)));
            case RedisCommandExecutionException e -> refused(PlainText.of(e), target);
            case UnknownHostException _ -> broken("Unknown host " + target.host());
            case ConnectException e -> broken("Cannot connect to " + target + ": " + withoutAddress(PlainText.of(e)));
            case SSLException e -> broken("TLS with " + target + " failed: " + PlainText.of(e));
            case RedisCommandTimeoutException _ -> broken(target + " took a connection and said nothing on it");
            default -> null;
        };
    }

    /** The outcome when there is no place for another connection. */
    static Outcome tooManyConnections(RedisTarget target) {
        return broken("Too many connections to Redis are in use to open one to " + target);
    }

    /** The outcome when {@code target} answered with an error. */
    static Outcome refused(String answer, RedisTarget target) {
        var error = withoutPlace(answer);
        var failure = new Failure(Failure.Type.STREAM_ERROR, target + " answered: " + error);
        return isLasting(error) ? new Outcome.PermanentFailure(failure) : new Outcome.RetryableFailure(failure, null);
    }

    /** The outcome when {@code target} answered with neither an id nor an error. */
    static Outcome noId(RedisTarget target) {
        var message = target + " answered with something else than the id of an entry";
        return new Outcome.RetryableFailure(new Failure(Failure.Type.STREAM_ERROR, message), null);
    }

    /** Whether the server that answered so is a replica, or has become one. */
    static boolean isOfReplica(String answer) {
        return OF_REPLICA.contains(code(withoutPlace(answer)));
    }

    private static String withoutPlace(String answer) {
        return PLACE_IN_SCRIPT.matcher(PlainText.of(answer).strip()).replaceFirst("");
    }

    private static String code(String error) {
        return error.split(" ", 2)[0];
    }

    private static boolean isLasting(String error) {
        var code = code(error);
        return (LASTING.contains(code) || error.startsWith(MAY_NOT))
                && PASSING.stream().noneMatch(error::startsWith);
    }

    private static Outcome broken(String message) {
        return new Outcome.RetryableFailure(new Failure(Failure.Type.CONNECTION_ERROR, PlainText.of(message)), null);
    }

    /** Without the address that Netty adds: the caller gave the name, and must not learn its addresses. */
    private static String withoutAddress(String message) {
        return message.split(": ", 2)[0];
    }
}
