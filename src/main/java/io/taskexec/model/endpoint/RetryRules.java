package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Exceptions from what is retried otherwise, in words: a status such as {@code 404}, a class of them such as
 * {@code 4xx}, or the type of a failure such as {@code TIMEOUT}. What the receiver itself forbids is never retried.
 *
 * @param retryOn failures that are retried, although they would be permanent
 * @param noRetryOn failures that are permanent; it goes before {@code retryOn}
 */
public record RetryRules(List<String> retryOn, List<String> noRetryOn) {
    /** No exceptions. */
    public static final RetryRules NONE = new RetryRules(List.of(), List.of());

    /** Words in one list. */
    public static final int MOST_WORDS = 64;

    /** The types of failures that the way to a receiver, or its answer, is responsible for. */
    public static final List<String> TYPES =
            List.of("CONNECTION_ERROR", "TIMEOUT", "HTTP_ERROR", "BROKER_ERROR", "STREAM_ERROR");

    private static final Pattern STATUS = Pattern.compile("[1-5]([0-9]{2}|xx)");
    private static final String RETRY_ON = "retry_on";
    private static final String NO_RETRY_ON = "no_retry_on";

    /** Whether a word is one of these. */
    public static boolean isWord(String word) {
        return STATUS.matcher(word).matches() || TYPES.contains(word);
    }

    public boolean isNone() {
        return retryOn.isEmpty() && noRetryOn.isEmpty();
    }

    /**
     * Whether an attempt that has failed is worth another one.
     *
     * @param type of the failure
     * @param status of the answer, if there was one
     * @param otherwise whether it is without these rules
     */
    public boolean isRetried(String type, @Nullable Integer status, boolean otherwise) {
        if (!TYPES.contains(type)) {
            return otherwise;
        }
        return !names(noRetryOn, type, status) && (otherwise || names(retryOn, type, status));
    }

    private static boolean names(List<String> words, String type, @Nullable Integer status) {
        return !words.isEmpty()
                && (words.contains(type)
                        || (status != null
                                && (words.contains(status.toString()) || words.contains(status / 100 + "xx"))));
    }

    /** Adds the members that are not empty. */
    public void addTo(ObjectNode json) {
        add(json, RETRY_ON, retryOn);
        add(json, NO_RETRY_ON, noRetryOn);
    }

    private static void add(ObjectNode json, String name, List<String> words) {
        if (!words.isEmpty()) {
            words.forEach(json.withArray(name)::add);
        }
    }

    /** Reads back what {@link #addTo} wrote. */
    public static RetryRules of(JsonNode json) {
        return json.has(RETRY_ON) || json.has(NO_RETRY_ON)
                ? new RetryRules(words(json.path(RETRY_ON)), words(json.path(NO_RETRY_ON)))
                : NONE;
    }

    private static List<String> words(JsonNode array) {
        var words = new ArrayList<String>();
        array.forEach(word -> words.add(word.asText()));
        return List.copyOf(words);
    }
}
