package io.taskexec.api.openapi;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.endpoint.EndpointEvent;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.Failure;
import io.taskexec.model.job.JobStats;
import io.taskexec.model.job.SchedulePolicy;
import io.taskexec.request.ErrorCode;
import io.taskexec.schedule.Tick;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;

/**
 * Names and shapes the schemas of the OpenAPI document, so that generators of clients make good code of them with
 * their default options.
 */
final class OpenApiSchemas {
    /** The prefix of references to schemas. */
    static final String REFERENCE = "#/components/schemas/";

    private static final DotName SCHEMA =
            DotName.createSimple("org.eclipse.microprofile.openapi.annotations.media.Schema");
    private static final DotName NULLABLE = DotName.createSimple("org.jspecify.annotations.Nullable");
    private static final DotName JSON_PROPERTY = DotName.createSimple("com.fasterxml.jackson.annotation.JsonProperty");
    private static final String LIST = "ListView";
    private static final String ERROR_CODE = "ErrorCode";
    private static final String CURSOR = "cursor";

    /** Names of enums that have none in the document but their simple one, which says nothing there. */
    private static final Map<Class<? extends Enum<?>>, String> ENUMS = Map.of(
            DstPolicy.Gap.class, "DstGap",
            DstPolicy.Overlap.class, "DstOverlap",
            SchedulePolicy.Overlap.class, "OverlapPolicy",
            SchedulePolicy.CatchUp.Mode.class, "CatchUpMode",
            Attempt.Status.class, "AttemptStatus",
            Failure.Type.class, "DeliveryErrorType",
            JobStats.Health.class, "JobHealth",
            EndpointEvent.Kind.class, "EndpointEventKind",
            Breaker.State.class, "BreakerState",
            Tick.Flag.class, "TickFlag");

    private final IndexView index;
    private final List<Schema> references = new ArrayList<>();

    OpenApiSchemas(IndexView index) {
        this.index = index;
    }

    /**
     * Takes note of one schema of the document, wherever it stands. One that refers to a time or to any JSON is
     * replaced by what it refers to: a class of its own for these is of no use to a client.
     */
    void visit(Schema schema) {
        var reference = schema.getRef();
        if (reference == null) {
            openMap(schema);
            return;
        }
        switch (reference.substring(reference.lastIndexOf('/') + 1)) {
            case "Instant", "OffsetDateTime" -> time(schema.ref(null));
            case "Json" ->
                schema.ref(null)
                        .type(null)
                        .description(schema.getDescription() == null ? "Any JSON." : schema.getDescription());
            case "JsonObject" -> openMap(schema.ref(null).type(List.of(SchemaType.OBJECT)));
            default -> references.add(schema);
        }
    }

    /** Makes a schema that of a time. */
    @CanIgnoreReturnValue
    static Schema time(Schema schema) {
        return schema.type(List.of(SchemaType.STRING)).format("date-time").examples(List.of("2026-03-15T18:00:00Z"));
    }

    /** An object whose members are not known is a map to generators only when it says that there may be any. */
    private static void openMap(Schema schema) {
        if (List.of(SchemaType.OBJECT).equals(schema.getType())
                && schema.getProperties() == null
                && schema.getOneOf() == null
                && schema.getAdditionalPropertiesSchema() == null) {
            schema.setAdditionalPropertiesSchema(OASFactory.createSchema().booleanSchema(true));
        }
    }

    /** Completes the schemas once all have been visited. */
    void complete(Components components) {
        var schemas = new LinkedHashMap<>(components.getSchemas());
        // Times and JSON stand where they are used, and so do the fields of a schedule.
        Stream.of("Instant", "OffsetDateTime", "Json", "JsonObject", "Schedule").forEach(schemas::remove);
        index.getAnnotations(SCHEMA).stream()
                .filter(use -> use.target().kind() == AnnotationTarget.Kind.CLASS
                        && use.target().asClass().isRecord()
                        && use.value("name") != null)
                .filter(use -> schemas.containsKey(use.value("name").asString()))
                .forEach(use -> require(
                        named(schemas, use.value("name").asString()),
                        use.target().asClass()));
        // A job shows all of its execution to the request that has waited for its end.
        named(schemas, "ExecutionRef").setProperties(named(schemas, "Execution").getProperties());
        var renamed = new HashMap<String, String>();
        ENUMS.forEach((type, name) -> rename(schemas, type, name, renamed));
        nameErrorCodes(schemas);
        lowerCase(named(schemas, "ReasonCode"));
        OpenApiFields.add(schemas);
        named(named(schemas, "ApiKey").getProperties(), "scopes").setItems(reference("ApiKeyScope"));
        nameLists(schemas, renamed);
        pages(schemas);
        follow(renamed);
        Stream.of("PayloadSpec", "Config", "Secret", "Queue", "Endpoint")
                .forEach(noun -> schemas.put(noun + "Update", update(named(schemas, "New" + noun))));
        OpenApiUnions.add(schemas);
        schemas.forEach((name, schema) -> {
            if (name.endsWith("Patch")) {
                schema.setProperties(nullable(schema.getProperties()));
            }
        });
        schemas.forEach((name, schema) -> {
            if (isBody(name) && schema.getOneOf() == null) {
                // Generators take additionalProperties for a map of anything, be it false.
                schema.setUnevaluatedProperties(OASFactory.createSchema().booleanSchema(false));
            }
        });
        schemas.values().forEach(OpenApiSchemas::distinct);
        components.setSchemas(new TreeMap<>(schemas));
    }

    /** Writes the values of an enum as its {@link io.taskexec.model.Option} does. */
    private static void lowerCase(Schema options) {
        options.setEnumeration(options.getEnumeration().stream()
                .<Object>map(word -> word.toString().toLowerCase(Locale.ROOT))
                .toList());
    }

    /** The schema of a name; throws when there is none. */
    static Schema named(Map<String, Schema> schemas, String name) {
        return Objects.requireNonNull(schemas.get(name), name);
    }

    /** A schema that refers to the one of a name. */
    static Schema reference(String name) {
        return OASFactory.createSchema().ref(REFERENCE + name);
    }

    private static boolean isBody(String name) {
        return name.startsWith("New") || name.endsWith("Update") || name.endsWith("Patch") || name.endsWith("Request");
    }

    private static void rename(
            Map<String, Schema> schemas, Class<? extends Enum<?>> type, String name, Map<String, String> renamed) {
        var constants = constants(type);
        var old = schemas.entrySet().stream()
                .filter(schema -> constants.equals(schema.getValue().getEnumeration()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no schema has the constants of " + type));
        schemas.put(name, Objects.requireNonNull(schemas.remove(old)));
        renamed.put(old, name);
    }

    private static List<Object> constants(Class<? extends Enum<?>> type) {
        return Arrays.stream(type.getEnumConstants()).<Object>map(Enum::name).toList();
    }

    private static void nameErrorCodes(Map<String, Schema> schemas) {
        schemas.put(
                ERROR_CODE,
                OASFactory.createSchema()
                        .type(List.of(SchemaType.STRING))
                        .enumeration(constants(ErrorCode.class))
                        .description("What went wrong, for programs. New codes may be added."));
        var _ = named(schemas, "ApiError").addProperty("code", reference(ERROR_CODE));
    }

    /** A list is called after its items: a generic type has no name of its own. */
    private static void nameLists(Map<String, Schema> schemas, Map<String, String> renamed) {
        schemas.keySet().stream().filter(name -> name.startsWith(LIST)).toList().forEach(old -> {
            var list = Objects.requireNonNull(schemas.remove(old));
            var items = named(list.getProperties(), "items").getItems().getRef();
            var name = items.substring(REFERENCE.length()) + "List";
            schemas.put(name, list.required(List.of("items")));
            renamed.put(old, name);
        });
    }

    /** The cursor of every page is there, and null on the last one. */
    private static void pages(Map<String, Schema> schemas) {
        schemas.values().forEach(schema -> {
            var fields = schema.getProperties();
            if (fields != null && fields.containsKey("items") && fields.containsKey(CURSOR)) {
                named(fields, CURSOR)
                        .type(List.of(SchemaType.STRING, SchemaType.NULL))
                        .description("Asks for the next page, as the parameter 'cursor'; null on the last one.");
                schema.addRequired(CURSOR);
            }
        });
    }

    private void follow(Map<String, String> renamed) {
        references.forEach(schema -> {
            var name = renamed.get(schema.getRef().substring(REFERENCE.length()));
            if (name != null) {
                schema.setRef(REFERENCE + name);
            }
        });
    }

    /** A PUT may leave out the name, which its path gives. */
    private static Schema update(Schema whole) {
        return OASFactory.createSchema()
                .addType(SchemaType.OBJECT)
                .properties(whole.getProperties())
                .required(whole.getRequired().stream()
                        .filter(field -> !field.equals("name"))
                        .toList());
    }

    private static Map<String, Schema> nullable(Map<String, Schema> fields) {
        var nullable = new LinkedHashMap<String, Schema>();
        fields.forEach((name, field) -> nullable.put(name, nullable(field)));
        return nullable;
    }

    /**
     * A field of a merge patch, in which null removes something and what is left out stays. Generators make clients
     * that know the difference only of fields that may be null; the others send empty lists and nulls that were never
     * set.
     */
    private static Schema nullable(Schema field) {
        if (field.getRef() != null) {
            return OASFactory.createSchema()
                    .description(field.getDescription())
                    .addAnyOf(OASFactory.createSchema().ref(field.getRef()))
                    .addAnyOf(OASFactory.createSchema().addType(SchemaType.NULL));
        }
        // Of any JSON the client in Java would always send null, which takes the input away.
        var type = field.getType() == null ? SchemaType.OBJECT : field.getType().getFirst();
        return field.type(List.of(type, SchemaType.NULL)).enumeration(null).defaultValue(null);
    }

    /** Fields of a record without {@code @Nullable} are required. */
    private static void require(Schema schema, ClassInfo type) {
        schema.setRequired(type.recordComponents().stream()
                .filter(component -> !component.type().hasAnnotation(NULLABLE))
                .map(component -> property(type, component))
                .toList());
    }

    private static String property(ClassInfo type, RecordComponentInfo component) {
        var given = type.field(component.name()).annotation(JSON_PROPERTY);
        return given != null
                ? given.value().asString()
                : component.name().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    /** A type gives way to the reference or the choice beside it. Generators follow the one or the other. */
    private static void distinct(Schema schema) {
        if (schema.getOneOf() != null) {
            schema.setType(null);
        }
        if (schema.getProperties() != null) {
            schema.getProperties().values().stream()
                    .filter(property -> property.getRef() != null)
                    .forEach(property -> property.setType(null));
        }
    }
}
