package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.model.Json;
import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.endpoint.RedisStreamSpec;
import io.taskexec.model.endpoint.StreamFieldRules;
import io.taskexec.request.Fields;
import io.taskexec.request.spec.IdentityRequests;
import io.taskexec.request.spec.SpecTemplates;
import io.taskexec.template.Namespace;
import org.jspecify.annotations.Nullable;

/** Reads and checks the spec of an endpoint that is a Redis stream. */
final class RedisSpecRequests {
    private static final int MAX_FIELDS = 256;

    private RedisSpecRequests() {}

    static RedisStreamSpec read(Fields fields) {
        return new RedisStreamSpec(
                redisUrl(fields),
                fields.text("stream"),
                fieldsTemplate(fields),
                maxLen(fields),
                fields.flag("approximate_trimming"),
                fields.milliseconds("timeout_ms"),
                IdentityRequests.read(fields));
    }

    private static String redisUrl(Fields fields) {
        var url = fields.text("redis_url");
        if (SpecTemplates.isLiteral(url) && HostAndPort.ofRedisUrl(url) == null) {
            fields.violation(
                    "redis_url", "must be a redis:// or rediss:// URL, such as redis://user:password@host:6379/0");
        }
        return url;
    }

    private static JsonNode fieldsTemplate(Fields fields) {
        var isGiven = fields.optionalTree("fields_template") instanceof ObjectNode;
        var template = fields.object("fields_template");
        if (isGiven && (template.isEmpty() || template.size() > MAX_FIELDS || template.has(""))) {
            fields.violation("fields_template", "must have 1 to " + MAX_FIELDS + " members, each with a name");
        } else if (template.valueStream().anyMatch(JsonNode::isNull)) {
            fields.violation("fields_template", "must not have a member that is null, which Redis cannot store");
        }
        template.fieldNames().forEachRemaining(name -> {
            if (StreamFieldRules.isReserved(name)) {
                fields.violation("fields_template", "must not have a field '" + name + "', whose name is reserved");
            }
        });
        return template;
    }

    private static @Nullable JsonNode maxLen(Fields fields) {
        var maxLen = fields.optionalTree("max_len");
        if (maxLen == null || (maxLen.isTextual() && maxLen.textValue().contains("{{"))) {
            return maxLen;
        }
        if (!Json.isInt(maxLen) || maxLen.intValue() < 1) {
            fields.violation(
                    "max_len", "must be a whole number from 1 to " + Integer.MAX_VALUE + " or one {{config.*}}");
        }
        return maxLen;
    }

    /** Hands the templates of {@code spec} to {@code templates}. */
    static void parse(RedisStreamSpec spec, SpecTemplates templates) {
        templates.text("redis_url", spec.redisUrl(), Namespace.CONFIG, Namespace.SECRET);
        templates.text("stream", spec.stream(), Namespace.CONFIG);
        templates.tree("fields_template", spec.fieldsTemplate());
        if (spec.maxLen() instanceof TextNode maxLen) {
            var template = templates.text("max_len", maxLen.textValue(), Namespace.CONFIG);
            if (!template.isOnePlaceholder()) {
                throw templates.refused("max_len", "'max_len' must be nothing but one {{config.*}}.");
            }
        }
    }
}
