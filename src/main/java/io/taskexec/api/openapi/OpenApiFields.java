package io.taskexec.api.openapi;

import io.taskexec.api.approval.ApprovalResource;
import io.taskexec.api.auth.KeyResource;
import io.taskexec.api.dev.ClockResource;
import io.taskexec.api.execution.BulkRequest;
import io.taskexec.api.job.JobBatchResource;
import io.taskexec.api.job.LedgerResource;
import io.taskexec.api.job.ScheduleControlResource;
import io.taskexec.api.job.ScheduleResource;
import io.taskexec.api.pressure.PressureResource;
import io.taskexec.model.FieldDefinition;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.endpoint.QueueFields;
import io.taskexec.model.endpoint.WorkflowFields;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.lease.LeaseFields;
import io.taskexec.model.wait.CompletionFields;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.jspecify.annotations.Nullable;

/** Makes schemas of the definitions that requests are read by. */
final class OpenApiFields {
    /** Lists without an order in which the server takes an element twice, since that means the same as once. */
    private static final Set<String> TAKEN_TWICE = Set.of("tags", "poll_origins");

    private final Map<String, Schema> schemas;

    private OpenApiFields(Map<String, Schema> schemas) {
        this.schemas = schemas;
    }

    /** Adds the schemas of all requests, which take the place of those that answers have under the same names. */
    static void add(Map<String, Schema> schemas) {
        var fields = new OpenApiFields(schemas);
        Stream.of(EndpointType.values()).map(EndpointFields::spec).forEach(fields::put);
        Stream.of(
                        EndpointFields.NEW_PAYLOAD_SPEC,
                        EndpointFields.NEW_CONFIG,
                        EndpointFields.NEW_SECRET,
                        QueueFields.NEW_QUEUE,
                        QueueFields.PAUSE,
                        EndpointFields.NEW_ENDPOINT,
                        CompletionFields.CALLBACK,
                        ApprovalResource.DECISION,
                        JobFields.NEW_JOB,
                        JobFields.JOB_UPDATE,
                        JobFields.JOB_PATCH,
                        WorkflowFields.JOB,
                        WorkflowFields.DEFINITION,
                        JobFields.NEW_WORKFLOW,
                        JobBatchResource.BATCH,
                        ScheduleControlResource.PAUSE,
                        LedgerResource.BACKFILL,
                        ScheduleResource.PREVIEW,
                        BulkRequest.BULK,
                        PressureResource.SIGNAL,
                        ClockResource.MOVE,
                        LeaseFields.REQUEST,
                        LeaseFields.EXTEND,
                        LeaseFields.COMPLETE,
                        LeaseFields.FAIL,
                        LeaseFields.DEFER,
                        LeaseFields.RELEASE,
                        KeyResource.NEW_KEY)
                .forEach(fields::put);
    }

    private void put(ObjectDefinition definition) {
        var properties = new LinkedHashMap<String, Schema>();
        definition.fields().forEach((name, field) -> properties.put(name, property(field)));
        schemas.put(
                definition.name(),
                OASFactory.createSchema()
                        .addType(SchemaType.OBJECT)
                        .properties(properties)
                        .required(definition.fields().values().stream()
                                .filter(FieldDefinition::isRequired)
                                .map(FieldDefinition::name)
                                .sorted()
                                .toList()));
    }

    private Schema property(FieldDefinition field) {
        var schema = schema(field.type());
        if (TAKEN_TWICE.contains(field.name())) {
            schema.setUniqueItems(null);
        }
        var fallback = field.defaultValue();
        if (field.description() != null) {
            schema.setDescription(field.description());
        }
        if (field.example() != null) {
            schema.setExamples(List.of(field.example()));
        }
        // Generators make poor code of a default that is an object or a list.
        if (fallback != null && fallback.isValueNode()) {
            schema.setDefaultValue(
                    fallback.isTextual()
                            ? fallback.textValue()
                            : fallback.isBoolean() ? fallback.booleanValue() : fallback.numberValue());
        }
        return schema;
    }

    private Schema schema(ValueType type) {
        return switch (type) {
            case ValueType.Text text -> text(text);
            case ValueType.Words(var words, var name) -> words(words, name);
            case ValueType.Whole(var min, var max) ->
                OASFactory.createSchema()
                        .addType(SchemaType.INTEGER)
                        .format("int32")
                        .maximum(BigDecimal.valueOf(max))
                        .minimum(BigDecimal.valueOf(min));
            case ValueType.Decimal(var min, var max) ->
                OASFactory.createSchema()
                        .addType(SchemaType.NUMBER)
                        .format("double")
                        .maximum(BigDecimal.valueOf(max))
                        .minimum(BigDecimal.valueOf(min));
            case ValueType.Plain plain -> plain(plain);
            case ValueType.MapOf map -> map(map);
            case ValueType.ListOf list -> list(list);
            case ObjectDefinition object -> {
                put(object);
                yield OpenApiSchemas.reference(object.name());
            }
        };
    }

    private static Schema text(ValueType.Text text) {
        var schema = OpenApiParameters.text();
        if (text.pattern() != null) {
            return schema.pattern(text.pattern().pattern());
        }
        schema.maxLength(text.maxLength()).minLength(1);
        return text.isDuration() ? schema.format("duration") : schema;
    }

    private Schema words(List<String> words, @Nullable String name) {
        var schema = OpenApiParameters.text().enumeration(List.<Object>copyOf(words));
        if (name == null) {
            return schema;
        }
        schemas.putIfAbsent(name, schema);
        return OpenApiSchemas.reference(name);
    }

    private static Schema plain(ValueType.Plain plain) {
        return switch (plain) {
            case FLAG -> OASFactory.createSchema().addType(SchemaType.BOOLEAN);
            case TEXT -> OpenApiParameters.text();
            case TIME -> OpenApiSchemas.time(OASFactory.createSchema());
            case ANY -> OASFactory.createSchema().description("Any JSON.");
        };
    }

    private Schema map(ValueType.MapOf map) {
        var schema = OASFactory.createSchema().addType(SchemaType.OBJECT);
        return map.equals(ValueType.JSON_OBJECT)
                ? schema.additionalPropertiesSchema(OASFactory.createSchema().booleanSchema(true))
                : schema.additionalPropertiesSchema(schema(map.values())).maxProperties(map.max());
    }

    private Schema list(ValueType.ListOf list) {
        var schema = OASFactory.createSchema().addType(SchemaType.ARRAY);
        if (list.order() == ValueType.Order.SET) {
            schema.setUniqueItems(true);
        }
        schema.items(schema(list.elements())).maxItems(list.max());
        return list.min() == 0 ? schema : schema.minItems(list.min());
    }
}
