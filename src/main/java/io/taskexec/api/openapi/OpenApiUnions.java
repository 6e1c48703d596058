package io.taskexec.api.openapi;

import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.EndpointType;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;

/**
 * Splits the schemas of endpoints by their type, so that each has the fields that it can have, and clients get a class
 * for each.
 */
final class OpenApiUnions {
    private static final String TYPE = "type";

    private OpenApiUnions() {}

    static void add(Map<String, Schema> schemas) {
        for (var name : List.of("Endpoint", "NewEndpoint", "EndpointUpdate")) {
            endpoints(schemas, name);
        }
    }

    private static void endpoints(Map<String, Schema> schemas, String name) {
        var whole = OpenApiSchemas.named(schemas, name);
        var members = new LinkedHashMap<String, String>();
        for (var type : EndpointType.values()) {
            var fields = new LinkedHashMap<>(whole.getProperties());
            fields.put(TYPE, only(type.name()));
            fields.put(
                    "spec", OpenApiSchemas.reference(EndpointFields.spec(type).name()));
            var member = name.replace("Endpoint", camelCase(type) + "Endpoint");
            schemas.put(member, object(fields, whole.getRequired()));
            members.put(type.name(), member);
        }
        schemas.put(name, union(TYPE, members));
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
