package io.taskexec.secret;

import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks messages that were signed as Standard Webhooks has it, with one key. Immutable. */
public final class WebhookVerifier {
    /** By how much the clocks of sender and receiver, and the way between them, may differ. */
    public static final Duration USUAL_TOLERANCE = Duration.ofMinutes(5);

    private static final int MAX_SIGNATURES = 32;
    private static final Pattern TIMESTAMP = Pattern.compile("[0-9]{1,12}");

    private final WebhookKey key;
    private final @Nullable Duration tolerance;

    /** @param tolerance how far the timestamp may be from now, null for any distance */
    public WebhookVerifier(WebhookKey key, @Nullable Duration tolerance) {
        this.key = key;
        this.tolerance = tolerance;
    }

    /**
     * The signature headers of a message.
     *
     * @param id {@code webhook-id}
     * @param timestamp {@code webhook-timestamp}
     * @param signatures {@code webhook-signature}
     */
    public record Headers(String id, String timestamp, String signatures) {}

    /** Returns why the signature is not valid, as a sentence; null when it is valid and recent. */
    public @Nullable String problem(Headers headers, byte[] body, Instant now) {
        var problem = timestampProblem(headers.timestamp(), now);
        return problem != null ? problem : signatureProblem(headers, body);
    }

    private @Nullable String timestampProblem(String timestamp, Instant now) {
        if (!TIMESTAMP.matcher(timestamp).matches()) {
            return "webhook-timestamp is not a number of seconds since 1970.";
        }
        if (tolerance == null) {
            return null;
        }
        var age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now);
        return age.abs().compareTo(tolerance) <= 0
                ? null
                : "webhook-timestamp is %s seconds in the %s, and %s are allowed."
                        .formatted(age.abs().toSeconds(), age.isPositive() ? "past" : "future", tolerance.toSeconds());
    }

    private @Nullable String signatureProblem(Headers headers, byte[] body) {
        var entries = Stream.of(headers.signatures().strip().split(" +", MAX_SIGNATURES + 1))
                .toList();
        if (entries.size() > MAX_SIGNATURES) {
            return "webhook-signature has more than " + MAX_SIGNATURES + " signatures.";
        }
        var prefix = key.scheme() + ",";
        var ours = entries.stream().filter(entry -> entry.startsWith(prefix)).toList();
        if (ours.isEmpty()) {
            return "webhook-signature has no signature of the kind " + key.scheme() + ", which this key is for.";
        }
        return matches(ours, prefix.length(), WebhookSigner.content(headers.id(), headers.timestamp(), body))
                ? null
                : "No signature fits: it was made with another key, or for another id, timestamp or body.";
    }

    private boolean matches(List<String> signatures, int start, byte[] content) {
        return signatures.stream().anyMatch(signature -> matches(signature.substring(start), content));
    }

    private boolean matches(String base64, byte[] content) {
        try {
            return key.verifies(content, Base64.getDecoder().decode(base64));
        } catch (IllegalArgumentException _) {
            // Another one may be well-formed.
            return false;
        }
    }
}
