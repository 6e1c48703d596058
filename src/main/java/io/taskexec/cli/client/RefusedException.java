package io.taskexec.cli.client;

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
    private static final int FIRST_SERVER_ERROR = 500;

    private final int status;
    private final String code;
    private final String reason;
    private final String place;
    private final transient List<Detail> details;

    /** @param place where in a file it is, with a colon and a space; empty for nowhere */
    private RefusedException(String reason, int status, String code, String place, List<Detail> details) {
        super(place + reason + suffix(code), null, false, false);
        this.status = status;
        this.code = code;
        this.reason = reason;
        this.place = place;
        this.details = details;
    }

    /** One place in what was sent, and what is wrong with it. */
    public record Detail(String pointer, String message) {
        private String sentence() {
            return (pointer.isEmpty() ? "/" : pointer) + ": " + message;
        }
    }

    /** What an error of the API says. */
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

    /** The same, with places in a file for the pointers into what was sent. */
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

    /** The code of the error. */
    public String code() {
        return code;
    }

    /** Whether the same may be done in a moment: the server is busy, or another takes over from it. */
    public boolean isPassing() {
        return status == TOO_MANY || status == UNAVAILABLE;
    }

    /** Whether what was asked for may have been done all the same: a server or a proxy failed on the way. */
    public boolean mayBeDone() {
        return status >= FIRST_SERVER_ERROR;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** What is wrong in detail, if the server says so. */
    public List<Detail> details() {
        return details;
    }

    /** The reason, and a line for each detail. What a detail says is not said twice. */
    public String explanation() {
        if (details.size() == 1 && repeatsDetail()) {
            return details.getFirst().sentence() + suffix(code);
        }
        var text = new StringBuilder(
                repeatsDetail() ? details.size() + " things are wrong" + suffix(code) : place + reason + suffix(code));
        details.forEach(detail -> text.append("\n  ").append(detail.sentence()));
        return text.toString();
    }

    /** The message of an error about fields is made of the first of them. */
    private boolean repeatsDetail() {
        return !details.isEmpty() && reason.contains(details.getFirst().message());
    }
}
