package io.taskexec.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The server does not do what it is asked; the message is its reason. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    /** What whoever sits there can do about it. */
    private static final Map<String, String> ADVICE = Map.of(
            "UNAUTHORIZED", "Give a key that is in force with TE_TOKEN, --token-file or a profile.",
            "FORBIDDEN", "Use a key with the scope; 'taskexec keys create' makes one.",
            "RATE_LIMITED", "Wait, and do it again.",
            "UNAVAILABLE", "Try the same again in a moment.",
            "PRECONDITION_FAILED", "Somebody was faster; look at it, and do it again.",
            "INTERNAL_ERROR", "The log of the server has more.");

    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;

    private final int status;
    private final transient List<Detail> details;

    private RefusedException(String reason, int status, List<Detail> details) {
        super(reason, null, false, false);
        this.status = status;
        this.details = details;
    }

    /** One place in what was sent, and what is wrong with it. */
    public record Detail(String pointer, String message) {}

    /** What an error of the API says. */
    public static RefusedException of(int status, JsonNode error) {
        var details = new ArrayList<Detail>();
        error.path("details")
                .forEach(detail -> details.add(new Detail(
                        detail.path("pointer").asText(), detail.path("message").asText())));
        var code = error.path("code").asText(String.valueOf(status));
        return new RefusedException(
                error.path("message").asText("it answers with status") + " (" + code + ")"
                        + (ADVICE.containsKey(code) ? " " + ADVICE.get(code) : ""),
                status,
                List.copyOf(details));
    }

    /** The same, with places in a file for the pointers into what was sent. */
    public RefusedException at(UnaryOperator<String> place) {
        var there = details.isEmpty() ? place.apply("") + ": " + getMessage() : String.valueOf(getMessage());
        return new RefusedException(
                there,
                status,
                details.stream()
                        .map(detail ->
                                new Detail(place.apply(detail.pointer()) + " " + detail.pointer(), detail.message()))
                        .toList());
    }

    /** Whether the same may be done in a moment: the server is busy, or another takes over from it. */
    public boolean isPassing() {
        return status == TOO_MANY || status == UNAVAILABLE;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** What is wrong in detail, if the server says so. */
    public List<Detail> details() {
        return details;
    }

    /** The reason, and a line for each detail. */
    public String explanation() {
        var text = new StringBuilder(String.valueOf(getMessage()));
        details.forEach(detail -> text.append("\n  ")
                .append(detail.pointer().isEmpty() ? "/" : detail.pointer())
                .append(": ")
                .append(detail.message()));
        return text.toString();
    }
}
