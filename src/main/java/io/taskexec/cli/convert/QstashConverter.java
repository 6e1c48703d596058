package io.taskexec.cli.convert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.convert.Entries.Entry;
import io.taskexec.cli.text.MalformedTextException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts schedules of Upstash QStash: the answer to {@code GET /v2/schedules}, or one of them. */
final class QstashConverter implements Converter {
    private static final Pattern CRON = Pattern.compile("(?:(?:CRON_)?TZ=(\\S+)\\s+)?(.*)");
    private static final Pattern SECONDS = Pattern.compile("(\\d{1,7})s?");
    private static final int DEFAULT_RETRIES = 3;

    @Override
    public void convert(String file, String text, Conversion into) throws MalformedTextException {
        into.remark("Receivers cannot check Upstash-Signature any more: give the endpoints signing with a secret, which"
                + " signs as Standard Webhooks has it.");
        for (var document : Entries.read(file, text)) {
            for (var entry : Entries.of(document, "")) {
                add(entry, into);
            }
        }
    }

    private static void add(Entry entry, Conversion into) throws MalformedTextException {
        var id = entry.text("scheduleId");
        var cron = CRON.matcher(entry.text("cron").strip());
        var destination = entry.text("destination");
        var draft = into.add("Schedule " + id + ".", id);
        try {
            if (cron.matches()) {
                var zone = cron.group(1);
                new TimetableDraft(draft, into.now()).cron(cron.group(2), zone == null ? "UTC" : zone, null, null);
            }
            if (entry.tree().path("isPaused").booleanValue()) {
                throw new NoEquivalentException("it is paused.");
            }
        } catch (NoEquivalentException e) {
            draft.leaveOutJob(String.valueOf(e.getMessage()));
        }
        try {
            request(entry, destination, draft);
            callback(entry, "callback", "on_success", draft);
            callback(entry, "failureCallback", "on_failure", draft);
        } catch (NoEquivalentException e) {
            draft.leaveOut(String.valueOf(e.getMessage()));
        }
        limits(entry, draft, into);
    }

    private static void request(Entry entry, String destination, Draft draft)
            throws MalformedTextException, NoEquivalentException {
        if (!destination.matches("(?i)https?://.*")) {
            throw new NoEquivalentException("its destination " + destination
                    + " is no URL but a group of them, or a service of Upstash: write an endpoint and a job for each.");
        }
        var request = new HttpRequestDraft(draft);
        request.url(destination);
        request.method(entry.tree().path("method").asText("POST"));
        entry.tree()
                .path("header")
                .properties()
                .forEach(header -> request.header(header.getKey(), values(header.getValue())));
        var encoded = Base64Text.decode(entry, "bodyBase64");
        request.body(encoded != null ? encoded : entry.textOrNull("body"));
        var timeout = seconds(entry.tree().path("timeout"));
        if (timeout > 0) {
            request.timeout(timeout * 1000);
        }
        request.finish();
        HttpRequestDraft.attempts(draft, entry.tree().path("retries").asInt(DEFAULT_RETRIES) + 1);
        if (entry.tree().has("retryDelayExpression")) {
            draft.remark("retryDelayExpression has no equivalent: set the backoff of retry_policy.");
        }
        if (seconds(entry.tree().path("delay")) > 0) {
            draft.remark("delay has no equivalent: add the "
                    + entry.tree().path("delay").asText() + " to the times of the cron expression.");
        }
    }

    private static String values(JsonNode header) {
        if (!header.isArray()) {
            return header.asText();
        }
        var values = new StringBuilder();
        header.forEach(value -> values.append(values.isEmpty() ? "" : ", ").append(value.asText()));
        return values.toString();
    }

    private static long seconds(JsonNode value) {
        var found = SECONDS.matcher(value.asText());
        return found.matches() ? Long.parseLong(found.group(1)) : 0;
    }

    /** Callbacks are endpoints of their own. */
    private static void callback(Entry entry, String field, String reference, Draft draft)
            throws NoEquivalentException {
        var url = entry.textOrNull(field);
        if (url == null) {
            return;
        }
        var name = draft.name() + (field.equals("callback") ? "-callback" : "-failure");
        var callback = new Draft("", name);
        var body = JsonNodeFactory.instance.objectNode();
        for (var member : new String[] {"execution_id", "status", "output", "error"}) {
            body.put(member, "{{input." + member + "}}");
        }
        var request = new HttpRequestDraft(callback);
        request.url(url);
        request.template(body);
        request.finish();
        draft.adopt(callback);
        draft.endpoint().put(reference, name);
        draft.remark("The body of " + name + " has another form than that of QStash"
                + (reference.equals("on_success") ? ", and failed attempts are not reported." : "."));
    }

    private static void limits(Entry entry, Draft draft, Conversion into) {
        var queue = entry.textOrNull("queueName");
        if (queue != null) {
            var name = Conversion.plainName(queue);
            if (into.isNewQueue(name)) {
                var _ = draft.other("Queue", name);
            }
            draft.job().put("queue", name);
            draft.remark("The file does not have the parallelism of the queue " + queue
                    + ": set max_concurrency, and order: fifo in the flow of endpoints whose order matters.");
        }
        flow(entry, draft, entry.textOrNull("flowControlKey"));
    }

    private static void flow(Entry entry, Draft draft, @Nullable String key) {
        var parallelism = entry.tree().path("parallelism").asInt();
        var rate = entry.tree()
                .path("rate")
                .asInt(entry.tree().path("ratePerSecond").asInt());
        var period = Math.max(1, seconds(entry.tree().path("period")));
        if (parallelism > 0) {
            draft.endpoint().withObject("/flow").put("max_concurrency", parallelism);
        }
        if (rate > 0) {
            draft.endpoint()
                    .withObject("/flow")
                    .putObject("rate")
                    .put("limit", rate)
                    .put("per", "PT" + period + "S");
        }
        if (key != null) {
            draft.remark("The limits of the flow control key " + key + " are for this endpoint alone: schedules do not"
                    + " share them.");
        }
    }
}
