package io.taskexec.api.openapi;

import io.taskexec.job.TriggerKind;
import io.taskexec.model.endpoint.EndpointType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;

/**
 * Splits the schemas of endpoints by their type and that of a new job by its trigger, so that each has the fields that
 * it can have, and clients get a class for each.
 */
final class OpenApiUnions {
    private static final String TYPE = "type";
    private static final String TRIGGER = "trigger";

    private static final Set<String> OF_DELAYED = Set.of("run_at", "delay");
    private static final Set<String> OF_CRON = Set.of("cron", "timezone", "dst");
    private static final Set<String> OF_INTERVAL = Set.of("every");
    private static final Set<String> OF_SCHEDULES =
            Set.of("starts_at", "ends_at", "max_fires", "catch_up", "overlap", "jitter");

    private OpenApiUnions() {}

    static void add(Map<String, Schema> schemas) {
        for (var name : List.of("Endpoint", "NewEndpoint", "EndpointUpdate")) {
            endpoints(schemas, name);
        }
        jobs(schemas);
    }

    private static void endpoints(Map<String, Schema> schemas, String name) {
        var whole = OpenApiSchemas.named(schemas, name);
        var members = new LinkedHashMap<String, String>();
        for (var type : EndpointType.values()) {
            var fields = new LinkedHashMap<>(whole.getProperties());
            fields.put(TYPE, only(type.name()));
            fields.put("spec", OpenApiSchemas.reference(camelCase(type) + "Spec"));
            var member = name.replace("Endpoint", camelCase(type) + "Endpoint");
            schemas.put(member, object(fields, whole.getRequired()));
            members.put(type.name(), member);
        }
        schemas.put(name, union(TYPE, members));
    }

    private static void jobs(Map<String, Schema> schemas) {
        var name = "NewJob";
        var whole = OpenApiSchemas.named(schemas, name);
        var members = new LinkedHashMap<String, String>();
        for (var trigger : TriggerKind.values()) {
            var fields = new LinkedHashMap<>(whole.getProperties());
            fields.keySet().removeAll(foreign(trigger));
            fields.put(TRIGGER, only(trigger.name()));
            var required = new ArrayList<>(whole.getRequired());
            required.addAll(required(trigger));
            var member = "New" + camelCase(trigger) + "Job";
            schemas.put(member, object(fields, required));
            members.put(trigger.name(), member);
        }
        schemas.put(name, union(TRIGGER, members));
    }

    /** The fields that a job with a trigger cannot have. */
    private static Set<String> foreign(TriggerKind trigger) {
        var fields = new TreeSet<String>();
        for (var group : List.of(OF_DELAYED, OF_CRON, OF_INTERVAL, OF_SCHEDULES)) {
            fields.addAll(group);
        }
        switch (trigger) {
            case IMMEDIATE -> {}
            case DELAYED -> fields.removeAll(OF_DELAYED);
            case CRON -> {
                fields.removeAll(OF_CRON);
                fields.removeAll(OF_SCHEDULES);
            }
            case INTERVAL -> {
                fields.removeAll(OF_INTERVAL);
                fields.removeAll(OF_SCHEDULES);
            }
        }
        return fields;
    }

    private static List<String> required(TriggerKind trigger) {
        return switch (trigger) {
            case IMMEDIATE, DELAYED -> List.of();
            case CRON -> List.of("cron", "timezone");
            case INTERVAL -> List.of("every");
        };
    }

    private static Schema object(Map<String, Schema> properties, List<String> required) {
        return OASFactory.createSchema()
                .addType(SchemaType.OBJECT)
                .properties(properties)
                .required(required);
    }

    /** A text that can be one thing only, by which a union is told apart. */
    private static Schema only(String value) {
        return OASFactory.createSchema()
                .addType(SchemaType.STRING)
                .addEnumeration(value)
                .defaultValue(value);
    }

    private static Schema union(String property, Map<String, String> members) {
        var discriminator = OASFactory.createDiscriminator().propertyName(property);
        var schema = OASFactory.createSchema();
        members.forEach((value, member) -> {
            var _ = discriminator.addMapping(value, OpenApiSchemas.REFERENCE + member);
            var _ = schema.addOneOf(OpenApiSchemas.reference(member));
        });
        return schema.discriminator(discriminator);
    }

    /** {@code REDIS_STREAM} as {@code RedisStream}. */
    private static String camelCase(Enum<?> constant) {
        return Arrays.stream(constant.name().split("_", -1))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .reduce("", String::concat);
    }
}
