package io.taskexec.cli.convert;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.convert.Entries.Entry;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlDocument;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts schedules of Amazon EventBridge Scheduler and rules of EventBridge: the output of {@code aws scheduler
 * get-schedule}, {@code list-schedules} and {@code aws events list-rules}, and templates of CloudFormation.
 */
final class EventBridgeConverter implements Converter {
    /** The resources of CloudFormation, and whether they are rules. */
    private static final Map<String, Boolean> RESOURCES =
            Map.of("AWS::Scheduler::Schedule", false, "AWS::Events::Rule", true);

    private static final int DEFAULT_RETRIES = 185;

    @Override
    public void convert(String file, String text, Conversion into) throws MalformedTextException {
        for (var document : Entries.read(file, text)) {
            var tree = document.tree();
            if (tree.path("Schedules").isArray()) {
                addAll(document, "/Schedules", false, into);
            } else if (tree.path("Rules").isArray()) {
                addAll(document, "/Rules", true, into);
            } else if (tree.path("Resources").isObject()) {
                addResources(document, into);
            } else {
                addAll(document, "", false, into);
            }
        }
    }

    private static void addAll(YamlDocument document, String pointer, boolean isRule, Conversion into)
            throws MalformedTextException {
        for (var entry : Entries.of(document, pointer)) {
            add(entry, entry.text("Name"), isRule, into);
        }
    }

    private static void addResources(YamlDocument document, Conversion into) throws MalformedTextException {
        for (var resource : document.tree().path("Resources").properties()) {
            var isRule = RESOURCES.get(resource.getValue().path("Type").asText());
            var pointer = "/Resources/" + YamlDocument.escape(resource.getKey()) + "/Properties";
            var name = document.tree().at(pointer).path("Name");
            if (isRule != null) {
                add(
                        new Entry(document, pointer),
                        name.isTextual() ? name.textValue() : resource.getKey(),
                        isRule,
                        into);
            }
        }
    }

    private static void add(Entry entry, String name, boolean isRule, Conversion into) throws MalformedTextException {
        var tree = entry.tree();
        var group = tree.path("GroupName").asText("default");
        var draft = into.add(
                (isRule ? "Rule " : "Schedule ") + (group.equals("default") ? "" : group + "/") + name + ".", name);
        if (tree.has("EventPattern") && !tree.has("ScheduleExpression")) {
            draft.leaveOut("it waits for events, and not for a time.");
            return;
        }
        if (!tree.has("ScheduleExpression")) {
            draft.leaveOut(
                    "the list has no expressions; convert the output of: aws scheduler get-schedule --group-name "
                            + group + " --name " + name);
            return;
        }
        var expression = entry.text("ScheduleExpression");
        try {
            new AwsTimetable(
                            new TimetableDraft(draft, into.now()),
                            zone(tree),
                            date(entry, "StartDate"),
                            date(entry, "EndDate"))
                    .set(expression);
            window(tree, draft);
            if (tree.path("State").asText("ENABLED").startsWith("DISABLED")) {
                throw new NoEquivalentException("it is disabled.");
            }
        } catch (NoEquivalentException e) {
            draft.leaveOutJob(String.valueOf(e.getMessage()));
        }
        target(isRule ? tree.path("Targets").path(0) : tree.path("Target"), name, draft);
        if (tree.path("Targets").size() > 1) {
            draft.complete("It has more targets: a job has one. Copy endpoint and job for each.");
        }
    }

    private static String zone(JsonNode tree) {
        return tree.path("ScheduleExpressionTimezone").asText("UTC");
    }

    private static void window(JsonNode tree, Draft draft) {
        var window = tree.path("FlexibleTimeWindow");
        if (window.path("Mode").asText().equals("FLEXIBLE")) {
            draft.job()
                    .put("jitter", "PT" + window.path("MaximumWindowInMinutes").asInt() + "M");
        }
    }

    private static void target(JsonNode target, String name, Draft draft) {
        try {
            AwsTarget.set(target, name, draft);
        } catch (NoEquivalentException e) {
            draft.leaveOut(String.valueOf(e.getMessage()));
            return;
        }
        var policy = target.path("RetryPolicy");
        HttpRequestDraft.attempts(draft, policy.path("MaximumRetryAttempts").asInt(DEFAULT_RETRIES) + 1);
        if (policy.has("MaximumEventAgeInSeconds")) {
            draft.remark("MaximumEventAgeInSeconds, "
                    + policy.path("MaximumEventAgeInSeconds").asText()
                    + ", has no equivalent: ttl bounds the wait for the first attempt alone.");
        }
        if (target.has("DeadLetterConfig")) {
            draft.remark(
                    "DeadLetterConfig has no equivalent: failed executions are kept and can be replayed; on_failure"
                            + " names an endpoint that hears of them.");
        }
    }

    private static @Nullable Instant date(Entry entry, String field) throws MalformedTextException {
        var text = entry.textOrNull(field);
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException _) {
            throw entry.malformed("'" + field + "' is no ISO 8601 time with an offset");
        }
    }
}
