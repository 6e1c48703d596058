package io.taskexec.api.endpoint;

import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.flow.FlowPolicy.Order;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.request.Fields;
import io.taskexec.template.Namespace;
import io.taskexec.template.Template;
import io.taskexec.template.TemplateSyntaxException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Reads the limits of an endpoint's executions. */
final class FlowRequests {
    private FlowRequests() {}

    static FlowPolicy read(Fields fields) {
        var key = fields.optionalText("key");
        var maxConcurrency = fields.optionalInteger("max_concurrency");
        var rate = fields.has("rate") ? rate(fields.fields("rate")) : null;
        var order = fields.choice("order", Order.class);
        var fair = fields.flag("fair");
        fields.checkNested();
        checkKey(fields, key);
        if (order == Order.FIFO) {
            checkFifo(fields, maxConcurrency, fair);
            maxConcurrency = 1;
        }
        if (fair && key == null) {
            fields.violation("fair", "needs a key");
        }
        return new FlowPolicy(key, maxConcurrency, rate, order, fair);
    }

    private static void checkKey(Fields fields, @Nullable String key) {
        if (key == null) {
            return;
        }
        try {
            if (Template.parse(key).references().stream()
                    .anyMatch(reference -> reference.namespace() != Namespace.INPUT)) {
                fields.violation("key", "must only use values of the input: {{input.*}}");
            }
        } catch (TemplateSyntaxException e) {
            fields.violation("key", "is no template: " + e.getMessage());
        }
    }

    private static void checkFifo(Fields fields, @Nullable Integer maxConcurrency, boolean fair) {
        if (maxConcurrency != null && maxConcurrency > 1) {
            fields.violation("max_concurrency", "must be 1 or absent with order fifo");
        }
        if (fair) {
            fields.violation("fair", "is not possible with order fifo");
        }
    }

    /** Reads a rate limit of an endpoint or a queue. */
    static RateLimit rate(Fields fields) {
        var limit = fields.optionalInteger("limit");
        if (limit == null && !fields.has("limit")) {
            fields.violation("limit", "is required");
        }
        var per = fields.optionalDuration("per", RateLimit.LONGEST);
        if (per == null && !fields.has("per")) {
            fields.violation("per", "is required");
        } else if (per != null && per.compareTo(RateLimit.SHORTEST) < 0) {
            fields.violation("per", "must be at least " + RateLimit.SHORTEST);
        }
        var burst = fields.integer("burst");
        var rate = new RateLimit(limit == null ? 1 : limit, per == null ? Duration.ofSeconds(1) : per, burst);
        if (limit != null
                && per != null
                && Duration.of(rate.allTokensMicros(), ChronoUnit.MICROS).compareTo(RateLimit.LONGEST_BURST) > 0) {
            fields.violation(
                    "burst",
                    "must not take more than %d days to come back at this rate"
                            .formatted(RateLimit.LONGEST_BURST.toDays()));
        }
        fields.checkNested();
        return rate;
    }
}
