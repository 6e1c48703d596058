package io.taskexec.cli.receiver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import io.taskexec.model.Json;
import io.taskexec.model.VisibleText;
import io.taskexec.secret.WebhookVerifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A received request, for display.
 *
 * @param verdict the result of the signature check; null without a check
 */
record EchoRequest(
        long number,
        String method,
        String target,
        List<Header> headers,
        @Nullable String verdict,
        String body,
        boolean cutOff) {
    private static final int SHOWN_BYTES = 64 * 1024;
    private static final Set<String> SHOWN_HEADERS = Set.of("content-type", "authorization", "idempotency-key");
    private static final Set<String> SHOWN_PREFIXES = Set.of("taskexec-", "webhook-", "ce-");

    /** A header that is shown. */
    record Header(String name, String value) {}

    /** @param verifier null when signatures are not checked */
    static EchoRequest read(long number, HttpExchange exchange, @Nullable WebhookVerifier verifier) throws IOException {
        var max = verifier == null ? SHOWN_BYTES : SignedHeaders.MAX_BODY;
        var bytes = exchange.getRequestBody().readNBytes(max + 1);
        var shown = Math.min(bytes.length, SHOWN_BYTES);
        return new EchoRequest(
                number,
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                interesting(exchange.getRequestHeaders()),
                verifier == null ? null : verdict(verifier, exchange.getRequestHeaders(), bytes),
                new String(bytes, 0, shown, StandardCharsets.UTF_8),
                bytes.length > SHOWN_BYTES);
    }

    private static String verdict(WebhookVerifier verifier, Map<String, List<String>> headers, byte[] body) {
        var signed = SignedHeaders.of(headers);
        if (signed == null) {
            return "Not signed.";
        }
        var problem = verifier.problem(signed, body, Instant.now());
        return problem == null ? "The signature is valid." : "THE SIGNATURE IS NOT VALID. " + problem;
    }

    private static List<Header> interesting(Map<String, List<String>> headers) {
        return headers.entrySet().stream()
                .filter(header -> isInteresting(header.getKey().toLowerCase(Locale.ROOT)))
                .sorted(Map.Entry.comparingByKey())
                .flatMap(header -> header.getValue().stream().map(value -> shown(header.getKey(), value)))
                .toList();
    }

    private static boolean isInteresting(String name) {
        return SHOWN_HEADERS.contains(name) || SHOWN_PREFIXES.stream().anyMatch(name::startsWith);
    }

    // Terminals are often shared or recorded, and the credentials may be real.
    private static Header shown(String name, String value) {
        if (!name.equalsIgnoreCase("Authorization")) {
            return new Header(usualCase(name), value);
        }
        var space = value.indexOf(' ');
        return new Header(name, space < 0 ? "***" : value.substring(0, space) + " ***");
    }

    // The JDK's server turns Idempotency-Key into Idempotency-key.
    private static String usualCase(String name) {
        return Pattern.compile("(?<=-)[a-z]")
                .matcher(name)
                .replaceAll(letter -> letter.group().toUpperCase(Locale.ROOT));
    }

    /** Returns the request as lines, with an empty line at the end. */
    String describe() {
        var lines = headers.stream()
                .map(header -> header.name() + ": " + header.value() + "\n")
                .collect(Collectors.joining());
        var head = "#" + number + " " + method + " " + target + "\n" + lines + (verdict == null ? "" : verdict + "\n");
        var end = cutOff ? "\n... (only the first " + SHOWN_BYTES + " bytes are shown)\n\n" : "\n\n";
        // Foreign text may have escape sequences.
        return VisibleText.of(head + (body.isEmpty() ? "\n" : prettyBody() + end));
    }

    private String prettyBody() {
        try {
            return cutOff ? body : Json.parseAnswer(body).toPrettyString();
        } catch (JsonProcessingException _) {
            return body;
        }
    }
}
