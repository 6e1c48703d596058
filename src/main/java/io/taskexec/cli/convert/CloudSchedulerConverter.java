package io.taskexec.cli.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.convert.Entries.Entry;
import io.taskexec.cli.text.MalformedTextException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts jobs of Google Cloud Scheduler: {@code gcloud scheduler jobs list} or {@code describe}, as JSON or YAML. */
final class CloudSchedulerConverter implements Converter {
    private static final Pattern EVERY = Pattern.compile("every (\\d{1,6}) ?(m|min|mins|minute|h|hour)s?");
    private static final Pattern EVERY_DAY = Pattern.compile(
            "every (day|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*(?:,(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*)*)"
                    + " (\\d\\d):(\\d\\d)");

    private static final int MAX_DOUBLINGS = 16;
    private static final long MAX_DELAY_MS = 7 * 24 * 3_600_000L;
    private static final long MAX_TIMEOUT_MS = 3_600_000;

    @Override
    public void convert(String file, String text, Conversion into) throws MalformedTextException {
        into.remark("As in Cloud Scheduler, a run waits for the end of the run before (BUFFER_ONE).");
        for (var document : Entries.read(file, text)) {
            for (var entry : Entries.of(document, document.tree().path("jobs").isArray() ? "/jobs" : "")) {
                add(entry, into);
            }
        }
    }

    private static void add(Entry entry, Conversion into) throws MalformedTextException {
        var name = entry.text("name");
        var schedule = entry.text("schedule");
        var draft = into.add("Job " + name + ".", name.replaceFirst(".*/", ""));
        draft.job().put("overlap", "BUFFER_ONE");
        try {
            timetable(schedule, entry.tree().path("timeZone").asText("UTC"), new TimetableDraft(draft, into.now()));
            var state = entry.tree().path("state").asText("ENABLED");
            if (!state.equals("ENABLED")) {
                throw new NoEquivalentException("its state is " + state + ".");
            }
        } catch (NoEquivalentException e) {
            draft.leaveOutJob(String.valueOf(e.getMessage()));
        }
        try {
            target(entry, draft);
            retries(entry.tree().path("retryConfig"), draft);
        } catch (NoEquivalentException e) {
            draft.leaveOut(String.valueOf(e.getMessage()));
        }
    }

    /** Reads a crontab expression, or a schedule in English as App Engine has it. */
    private static void timetable(String text, String zone, TimetableDraft timetable) throws NoEquivalentException {
        var english = text.strip().toLowerCase(Locale.ROOT).replaceAll("\\s+", " ");
        var interval = EVERY.matcher(english);
        var daily = EVERY_DAY.matcher(english);
        if (interval.matches()) {
            var number = Long.parseLong(interval.group(1));
            timetable.every(
                    interval.group(2).startsWith("m") ? Duration.ofMinutes(number) : Duration.ofHours(number),
                    null,
                    null);
        } else if (daily.matches()) {
            var days = daily.group(1).equals("day") ? "*" : daily.group(1).replaceAll("([a-z]{3})[a-z]*", "$1");
            timetable.cron(
                    "%d %d * * %s"
                            .formatted(
                                    Integer.parseInt(daily.group(3)),
                                    Integer.parseInt(daily.group(2)),
                                    days.toUpperCase(Locale.ROOT)),
                    zone,
                    null,
                    null);
        } else {
            timetable.cron(text.strip(), zone, null, null);
        }
    }

    private static void target(Entry entry, Draft draft) throws MalformedTextException, NoEquivalentException {
        var tree = entry.tree();
        var request = new HttpRequestDraft(draft);
        if (tree.has("httpTarget")) {
            http(new Entry(entry.document(), entry.pointer() + "/httpTarget"), draft, request);
        } else if (tree.has("pubsubTarget")) {
            pubsub(new Entry(entry.document(), entry.pointer() + "/pubsubTarget"), draft, request);
        } else if (tree.has("appEngineHttpTarget")) {
            appEngine(new Entry(entry.document(), entry.pointer() + "/appEngineHttpTarget"), draft, request);
        } else {
            throw entry.malformed("there is no httpTarget, pubsubTarget or appEngineHttpTarget");
        }
        var deadline = milliseconds(tree.path("attemptDeadline"));
        if (deadline != null) {
            request.timeout(Math.clamp(deadline, 1, MAX_TIMEOUT_MS));
        }
        request.finish();
    }

    private static void http(Entry target, Draft draft, HttpRequestDraft request)
            throws MalformedTextException, NoEquivalentException {
        request.url(target.text("uri"));
        request.method(target.tree().path("httpMethod").asText("POST"));
        payload(target, request);
        for (var kind : new String[] {"oidcToken", "oauthToken"}) {
            var token = target.tree().path(kind);
            if (token.isObject()) {
                draft.complete(kind + " has no equivalent: taskexec cannot call as "
                        + token.path("serviceAccountEmail").asText() + ". Set oauth2, signing or a header with a"
                        + " secret.");
            }
        }
    }

    private static void payload(Entry target, HttpRequestDraft request)
            throws MalformedTextException, NoEquivalentException {
        target.tree().path("headers").properties().forEach(header -> {
            // Cloud Scheduler adds it to all.
            if (!header.getKey().equalsIgnoreCase("User-Agent")
                    || !header.getValue().asText().matches("Google-Cloud-Scheduler|AppEngine-Google.*")) {
                request.header(header.getKey(), header.getValue().asText());
            }
        });
        request.body(Base64Text.decode(target, "body"));
    }

    private static void pubsub(Entry target, Draft draft, HttpRequestDraft request)
            throws MalformedTextException, NoEquivalentException {
        var message = JsonNodeFactory.instance.objectNode();
        var data = target.textOrNull("data");
        if (data != null) {
            message.put("data", data);
        }
        if (target.tree().path("attributes").isObject()) {
            message.set("attributes", target.tree().path("attributes"));
        }
        var body = JsonNodeFactory.instance.objectNode();
        body.putArray("messages").add(message);
        request.url("https://pubsub.googleapis.com/v1/" + target.text("topicName") + ":publish");
        request.json(body);
        draft.complete("Pub/Sub takes no calls without an access token of Google, which taskexec cannot get for a"
                + " service account: set the URL of a service that publishes the message.");
    }

    private static void appEngine(Entry target, Draft draft, HttpRequestDraft request)
            throws MalformedTextException, NoEquivalentException {
        var host = target.tree().path("appEngineRouting").path("host").asText();
        var path = target.tree().path("relativeUri").asText("/");
        if (host.isEmpty()) {
            request.withoutUrl("Set the URL of the App Engine service, with the path " + path + ".");
        } else {
            request.url("https://" + host + path);
        }
        request.method(target.tree().path("httpMethod").asText("POST"));
        draft.remark("App Engine does not see the header X-AppEngine-Cron, nor an administrator.");
        payload(target, request);
    }

    private static void retries(JsonNode config, Draft draft) {
        HttpRequestDraft.attempts(draft, config.path("retryCount").asInt(0) + 1);
        var policy = draft.endpoint().withObject("/retry_policy");
        var first = milliseconds(config.path("minBackoffDuration"));
        var longest = milliseconds(config.path("maxBackoffDuration"));
        if (first != null) {
            policy.put("initial_delay_ms", Math.min(first, MAX_DELAY_MS));
        }
        if (longest != null) {
            policy.put("max_delay_ms", Math.min(longest, MAX_DELAY_MS));
        }
        if (config.path("maxDoublings").asInt(MAX_DOUBLINGS) < MAX_DOUBLINGS) {
            draft.remark("maxDoublings has no equivalent: delays are doubled up to max_delay_ms.");
        }
        var limit = milliseconds(config.path("maxRetryDuration"));
        if (limit != null && limit > 0) {
            draft.remark("maxRetryDuration has no equivalent: the number of attempts bounds the retries.");
        }
    }

    /** Returns a duration such as {@code 3.5s}; null without one. */
    private static @Nullable Long milliseconds(JsonNode duration) {
        var text = duration.asText();
        return text.matches("\\d{1,9}(\\.\\d{1,9})?s")
                ? new BigDecimal(text.substring(0, text.length() - 1))
                        .movePointRight(3)
                        .longValue()
                : null;
    }
}
