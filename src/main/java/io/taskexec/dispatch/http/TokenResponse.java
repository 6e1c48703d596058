package io.taskexec.dispatch.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.taskexec.dispatch.http.TokenAnswer.Refused;
import io.taskexec.dispatch.http.TokenAnswer.Token;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.secret.Redaction;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads answers of token servers (RFC 6749, 5). Nothing of a body is repeated but the code of an error. */
final class TokenResponse {
    /** The life of a token whose server does not tell. */
    private static final long USUAL_SECONDS = 300;

    private static final long LONGEST_SECONDS = 86_400;
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(30);
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{1,8000}");
    private static final Pattern ERROR = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Set<String> MAY_PASS = Set.of("temporarily_unavailable", "server_error", "slow_down");

    private TokenResponse() {}

    /** The meaning of {@code outcome}, as of {@code now} of the monotonic clock. */
    static TokenAnswer read(Outcome outcome, long now) {
        return switch (outcome) {
            case Outcome.Succeeded(var output) ->
                issued(parse(output.path("body").asText()), now);
            case Outcome.RetryableFailure(var failure, var retryAfter) ->
                new Refused(new Outcome.RetryableFailure(unavailable(failure), retryAfter));
            case Outcome.PermanentFailure(var failure, var _, var _) -> refused(failure);
            case Outcome.Deferred _,
                    Outcome.StillDeferred _,
                    Outcome.Postponed _,
                    Outcome.Limited _,
                    Outcome.Expired _,
                    Outcome.Skipped _,
                    Outcome.Interrupted _,
                    Outcome.Recorded _,
                    Outcome.LeaseLost _ -> new Refused(outcome);
        };
    }

    private static TokenAnswer issued(JsonNode json, long now) {
        var token = json.path("access_token").asText();
        if (!TOKEN.matcher(token).matches()) {
            return retryable("The token server's answer has no access_token that can be used");
        }
        if (!json.path("token_type").asText("Bearer").equalsIgnoreCase("Bearer")) {
            return permanent("The token server issues tokens of another type than Bearer");
        }
        var seconds = Math.clamp(json.path("expires_in").asLong(USUAL_SECONDS), 1, LONGEST_SECONDS);
        var life = Duration.ofSeconds(seconds);
        var quarter = life.dividedBy(4);
        var margin = quarter.compareTo(LONGEST_MARGIN) < 0 ? quarter : LONGEST_MARGIN;
        var renewAt = now + life.minus(margin).toNanos();
        return new Token(token, renewAt, now + life.toNanos(), Redaction.of(List.of(token)));
    }

    private static TokenAnswer refused(Failure failure) {
        if (failure.type() != Failure.Type.HTTP_ERROR) {
            return new Refused(new Outcome.PermanentFailure(unavailable(failure)));
        }
        var error = parse(failure.body()).path("error").asText();
        var sentence = "The token server refuses: " + failure.message()
                + (ERROR.matcher(error).matches() ? " (" + error + ")" : "");
        return MAY_PASS.contains(error) ? retryable(sentence) : permanent(sentence);
    }

    private static Failure unavailable(Failure failure) {
        return new Failure(failure.type(), "No access token: " + failure.message());
    }

    private static TokenAnswer retryable(String sentence) {
        return new Refused(new Outcome.RetryableFailure(new Failure(Failure.Type.HTTP_ERROR, sentence), null));
    }

    private static TokenAnswer permanent(String sentence) {
        return new Refused(new Outcome.PermanentFailure(new Failure(Failure.Type.INVALID_CONFIGURATION, sentence)));
    }

    private static JsonNode parse(@Nullable String body) {
        try {
            return body == null ? MissingNode.getInstance() : Json.parse(body);
        } catch (JsonProcessingException _) {
            return MissingNode.getInstance();
        }
    }
}
