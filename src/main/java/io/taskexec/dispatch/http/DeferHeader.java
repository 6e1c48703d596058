package io.taskexec.dispatch.http;

import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.model.wait.Origin;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header {@code Taskexec-Defer} of an answer with 202: {@code callback; timeout=3600} or {@code poll;
 * every=30; timeout=3600}, with whole seconds. A poll needs a {@code Location}.
 */
final class DeferHeader {
    static final String NAME = "Taskexec-Defer";

    private static final Duration DEFAULT_EVERY = Duration.ofSeconds(30);
    private static final Pattern PARAMETER = Pattern.compile("([a-z]+)=([0-9]{1,8})");

    private DeferHeader() {}

    /** The outcome of a call whose receiver has answered with this header. */
    static Outcome read(String header, @Nullable String location, HttpCall call, Completion completion) {
        try {
            return new Outcome.Deferred(terms(header, location, call, completion));
        } catch (IllegalArgumentException e) {
            var message = "The receiver's %s %s.".formatted(NAME, e.getMessage());
            return new Outcome.PermanentFailure(new Failure(Failure.Type.INVALID_DEFERRAL, message));
        }
    }

    private static DeferralTerms terms(String header, @Nullable String location, HttpCall call, Completion completion) {
        var parts = header.split(";", -1);
        var mode = mode(parts[0].strip());
        check(
                completion.modes().contains(mode),
                "has the mode '" + mode.word() + "', which its endpoint does not have");
        var parameters = parameters(parts, mode);
        var timeout = parameters.getOrDefault("timeout", completion.timeout());
        check(timeout.isPositive(), "has a timeout of 0");
        check(
                timeout.compareTo(completion.timeout()) <= 0,
                "has a timeout of %d s, more than the %d s of its endpoint"
                        .formatted(timeout.toSeconds(), completion.timeout().toSeconds()));
        if (mode == DeferralMode.CALLBACK) {
            return new DeferralTerms(mode, timeout, null, null, completion.heartbeatTimeout());
        }
        var every = parameters.getOrDefault("every", DEFAULT_EVERY);
        check(
                every.compareTo(Completion.SHORTEST_PAUSE) >= 0,
                "wants a poll every %d s, and they are at least %d s apart"
                        .formatted(every.toSeconds(), Completion.SHORTEST_PAUSE.toSeconds()));
        return new DeferralTerms(mode, timeout, every, pollUrl(location, call.uri(), completion), null);
    }

    private static DeferralMode mode(String word) {
        return switch (word) {
            case "callback" -> DeferralMode.CALLBACK;
            case "poll" -> DeferralMode.POLL;
            default -> throw new IllegalArgumentException("begins with neither 'callback' nor 'poll'");
        };
    }

    private static List<String> parameters(DeferralMode mode) {
        return mode == DeferralMode.POLL ? List.of("timeout", "every") : List.of("timeout");
    }

    private static Map<String, Duration> parameters(String[] parts, DeferralMode mode) {
        var parameters = new HashMap<String, Duration>();
        for (var i = 1; i < parts.length; i++) {
            var match = PARAMETER.matcher(parts[i].strip());
            check(
                    match.matches() && parameters(mode).contains(match.group(1)),
                    "has a part other than " + String.join(" and ", parameters(mode)) + ", in whole seconds");
            var before = parameters.put(match.group(1), Duration.ofSeconds(Long.parseLong(match.group(2))));
            check(before == null, "has '" + match.group(1) + "' twice");
        }
        return parameters;
    }

    private static URI pollUrl(@Nullable String location, URI called, Completion completion) {
        check(location != null && !location.isBlank(), "asks for polls, but there is no Location");
        URI url;
        Origin origin;
        try {
            url = resolve(called, String.valueOf(location));
            origin = Origin.of(url);
        } catch (URISyntaxException | IllegalArgumentException _) {
            throw new IllegalArgumentException("comes with a Location that is no URL");
        }
        check(Set.of("http", "https").contains(origin.scheme()), "comes with a Location that is not of HTTP");
        check(url.getRawUserInfo() == null, "comes with a Location that has a user");
        check(
                origin.equals(Origin.of(called))
                        || completion.pollOrigins().stream()
                                .anyMatch(other -> origin.equals(Origin.of(URI.create(other)))),
                "comes with a Location of another origin, which poll_origins does not name");
        return url;
    }

    /** RFC 3986, 5.2.2, but for a query alone, which the library takes as RFC 2396 had it: without the path. */
    private static URI resolve(URI called, String location) throws URISyntaxException {
        return called.resolve(new URI(location.startsWith("?") ? called.getRawPath() + location : location));
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
