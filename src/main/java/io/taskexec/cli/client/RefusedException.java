package io.taskexec.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The server refused a request; the message is the reason. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    /** Advice for the user, by error code. */
    private static final Map<String, String> ADVICE = Map.of(
            "UNAUTHORIZED", "Set a valid key with TE_TOKEN, --token-file or a profile.",
            "FORBIDDEN", "Use a key with the scope; 'taskexec keys create' makes one.",
            "RATE_LIMITED", "Wait and retry.",
            "UNAVAILABLE", "Retry in a moment.",
            "PRECONDITION_FAILED", "Another client has changed it; read it again and retry.",
            "INTERNAL_ERROR", "The log of the server has more.");

    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    private static final int FIRST_SERVER_ERROR = 500;

    private final int status;
    private final String code;
    private final String reason;
    private final String place;
    private final transient List<Detail> details;

    /** @param place the place in a file, with a colon and a space; empty without a file */
    private RefusedException(String reason, int status, String code, String place, List<Detail> details) {
        super(place + reason + suffix(code));
        this.status = status;
        this.code = code;
        this.reason = reason;
        this.place = place;
        this.details = details;
    }

    /** One error in the request. */
    public record Detail(String pointer, String message) {
        private String sentence() {
            return (pointer.isEmpty() ? "/" : pointer) + ": " + message;
        }
    }

    /** Returns the exception for an error of the API. */
    public static RefusedException of(int status, JsonNode error) {
        var details = new ArrayList<Detail>();
        error.path("details")
                .forEach(detail -> details.add(new Detail(
                        detail.path("pointer").asText(), detail.path("message").asText())));
        return new RefusedException(
                error.path("message").asText("it answers with status"),
                status,
                error.path("code").asText(String.valueOf(status)),
                "",
                List.copyOf(details));
    }

    private static String suffix(String code) {
        return " (" + code + ")" + (ADVICE.containsKey(code) ? " " + ADVICE.get(code) : "");
    }

    /** Returns the same error with places in a file for the pointers into the request. */
    public RefusedException at(UnaryOperator<String> where) {
        return new RefusedException(
                reason,
                status,
                code,
                details.isEmpty() ? where.apply("") + ": " : "",
                details.stream()
                        .map(detail ->
                                new Detail(where.apply(detail.pointer()) + " " + detail.pointer(), detail.message()))
                        .toList());
    }

    public String code() {
        return code;
    }

    /** Returns whether the request may succeed in a moment: the server is busy, or another takes over from it. */
    public boolean isTransient() {
        return status == TOO_MANY || status == UNAVAILABLE;
    }

    /** Returns whether the request may have taken effect, since a server or a proxy failed. */
    public boolean mayHaveTakenEffect() {
        return status >= FIRST_SERVER_ERROR;
    }

    public int status() {
        return status;
    }

    public List<Detail> details() {
        return details;
    }

    /** Returns the reason, and a line for each detail that the reason does not include. */
    public String explanation() {
        if (details.size() == 1 && repeatsDetail()) {
            return details.getFirst().sentence() + suffix(code);
        }
        var text = new StringBuilder(
                repeatsDetail() ? details.size() + " things are wrong" + suffix(code) : place + reason + suffix(code));
        details.forEach(detail -> text.append("\n  ").append(detail.sentence()));
        return text.toString();
    }

    /** The message of an error about fields repeats the first detail. */
    private boolean repeatsDetail() {
        return !details.isEmpty() && reason.contains(details.getFirst().message());
    }
}
