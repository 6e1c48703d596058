package io.taskexec.cli.receiver;

import io.taskexec.secret.WebhookVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the signature headers of a request. */
final class SignedHeaders {
    /** The longest body that is checked; deliveries are shorter. */
    static final int MAX_BODY = 16 * 1024 * 1024;

    private SignedHeaders() {}

    /** Reads lines of {@code name: value} and ignores others. Null when a header is missing. */
    static WebhookVerifier.@Nullable Headers of(List<String> lines) {
        var headers = new TreeMap<String, List<String>>();
        for (var line : lines) {
            var colon = line.indexOf(':');
            if (colon > 0) {
                headers.computeIfAbsent(line.substring(0, colon), _ -> new ArrayList<>())
                        .add(line.substring(colon + 1).strip());
            }
        }
        return of(headers);
    }

    /** Reads headers, ignoring case; null when one is missing or repeated. */
    static WebhookVerifier.@Nullable Headers of(Map<String, List<String>> headers) {
        var id = only(headers, "webhook-id");
        var timestamp = only(headers, "webhook-timestamp");
        var signatures = only(headers, "webhook-signature");
        return id == null || timestamp == null || signatures == null
                ? null
                : new WebhookVerifier.Headers(id, timestamp, signatures);
    }

    private static @Nullable String only(Map<String, List<String>> headers, String name) {
        var values = headers.entrySet().stream()
                .filter(header -> header.getKey().toLowerCase(Locale.ROOT).equals(name))
                .flatMap(header -> header.getValue().stream())
                .toList();
        return values.size() == 1 ? values.getFirst() : null;
    }
}
