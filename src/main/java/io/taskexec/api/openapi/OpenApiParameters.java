package io.taskexec.api.openapi;

import io.taskexec.api.web.EntityTags;
import io.taskexec.api.web.TraceHeaders;
import io.taskexec.api.workflow.WorkflowResource;
import io.taskexec.model.ValueType;
import io.taskexec.request.RequestId;
import java.math.BigDecimal;
import java.util.List;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** Says of parameters what their signatures do not: their types, their limits and what they mean. */
final class OpenApiParameters {
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";

    private OpenApiParameters() {}

    /** Completes the parameters of the operation at {@code path}. */
    static void complete(String path, Operation operation) {
        if (operation.getParameters() == null) {
            return;
        }
        for (var parameter : operation.getParameters()) {
            switch (parameter.getIn()) {
                case PATH -> ofPath(path, parameter);
                case HEADER -> ofHeader(parameter);
                case QUERY -> ofQuery(path, parameter);
                case COOKIE -> {}
            }
        }
    }

    private static void ofPath(String path, Parameter parameter) {
        if (parameter.getName().equals("key")) {
            describe(
                    parameter,
                    "The idempotency key of the job.",
                    text().minLength(1).maxLength(255));
            return;
        }
        describe(
                parameter,
                "The %s of the %s."
                        .formatted(
                                parameter.getName(),
                                noun(path).replace('-', ' ').replaceAll("s$", "")),
                text().pattern(pattern(path)));
    }

    /** The form of the first parameter of a path; null for one that may be any text. */
    private static @Nullable String pattern(String path) {
        // A token, and the name of an endpoint: that of a hidden one, for jobs with a target, is no resource name.
        if (path.startsWith("/callbacks/") || path.endsWith("/keys/{key}")) {
            return null;
        }
        return switch (noun(path)) {
            case "jobs" -> "^job_[0-9a-f]{32}$";
            case "operations" -> "^op_[0-9a-f]{32}$";
            case "executions", "approvals" -> "^exec_[0-9a-f]{32}$";
            case "workflows" -> "^wf_[0-9a-f]{32}$";
            case "keys" -> "^key_[A-Za-z0-9]{1,32}$";
            case "secrets" -> String.valueOf(ValueType.SECRET_NAME.pattern());
            // WORKER endpoints have queues of their own.
            case "queues" -> String.valueOf(ValueType.NAME.pattern()).replace("^", "^(worker:)?");
            default -> String.valueOf(ValueType.NAME.pattern());
        };
    }

    private static String noun(String path) {
        return path.split("/", -1)[1];
    }

    private static void ofHeader(Parameter parameter) {
        switch (parameter.getName()) {
            case IDEMPOTENCY_KEY ->
                describe(
                        parameter,
                        "Stands for the field 'idempotency_key', and must equal it when both are given.",
                        text().minLength(1).maxLength(255));
            case EntityTags.IF_MATCH ->
                describe(
                        parameter,
                        "Writes only when the resource has one of these entity tags, or any for '*'.",
                        text());
            case EntityTags.IF_NONE_MATCH ->
                describe(parameter, "Returns the resource only when it has none of these entity tags.", text());
            case TraceHeaders.PARENT ->
                describe(parameter, "The W3C trace that the job and all its deliveries belong to.", text());
            case TraceHeaders.STATE ->
                describe(parameter, "What tracing systems add to 'traceparent'; 512 characters are kept.", text());
            case "Last-Event-ID" -> lastEvent(parameter);
            default -> {}
        }
    }

    private static void ofQuery(String path, Parameter parameter) {
        if (parameter.getDescription() != null) {
            return;
        }
        var isForecast = noun(path).equals("forecast");
        switch (parameter.getName()) {
            case "hours" -> describe(parameter, "The hours to look ahead.", whole(168, 24));
            case "limit" ->
                describe(
                        parameter,
                        isForecast ? "The most endpoints." : "The most items of a page.",
                        isForecast ? whole(100, 20) : whole(200, 50));
            case "cursor" -> describe(parameter, "The 'cursor' of the page before.", text());
            case "status" -> describe(parameter, "Only those with this status.", status(path));
            case "trigger" ->
                describe(parameter, "Only those with this trigger.", OpenApiSchemas.reference("JobTrigger"));
            case "outcome" ->
                describe(parameter, "Only those with this outcome.", OpenApiSchemas.reference("TickOutcome"));
            case "error_type" ->
                describe(
                        parameter,
                        "Only those that failed with an error of this type.",
                        OpenApiSchemas.reference("DeliveryErrorType"));
            case "created_from" -> describe(parameter, "Only those created at this time or later.", time());
            case "created_before" -> describe(parameter, "Only those created before this time.", time());
            case "run_from" -> describe(parameter, "Only those to run at this time or later.", time());
            case "run_before" -> describe(parameter, "Only those to run before this time.", time());
            case "from" -> describe(parameter, "Only ticks at this time or later.", time());
            case "to" -> describe(parameter, "Only ticks before this time.", time());
            case "retried" -> describe(parameter, "Only those that were repeated (true) or not (false).", flag());
            case "open" -> describe(parameter, "Only those that wait for a decision (true) or do not (false).", flag());
            case "force" ->
                describe(
                        parameter,
                        "Also cancels an execution that runs, or that a person has decided about.",
                        flag().defaultValue(false));
            case "dry_run" ->
                describe(
                        parameter,
                        "Checks the request in full and answers it, but changes nothing.",
                        flag().defaultValue(false));
            case "last_event_id" -> lastEvent(parameter);
            default -> narrow(parameter);
        }
    }

    private static Schema status(String path) {
        return switch (path) {
            case "/workflows" -> text().enumeration(List.copyOf(WorkflowResource.STATUSES));
            case "/jobs" -> OpenApiSchemas.reference("JobStatus");
            default -> OpenApiSchemas.reference("ExecutionStatus");
        };
    }

    /** A parameter that keeps the type that it has. */
    private static void narrow(Parameter parameter) {
        var isMany = List.of(SchemaType.ARRAY).equals(parameter.getSchema().getType());
        var name = parameter.getName().replace('_', ' ');
        parameter.description(
                isMany
                        ? "Only those of each %s that is given.".formatted(name)
                        : "Only those with this %s.".formatted(name));
    }

    private static void lastEvent(Parameter parameter) {
        describe(
                parameter,
                "The id of the last event that was seen, to resume after it; the header comes first.",
                text().pattern("^[0-9]{1,19}$"));
    }

    private static void describe(Parameter parameter, String description, Schema schema) {
        parameter.description(description).schema(schema);
    }

    /** The parameter that every operation has. */
    static Parameter requestId() {
        return OASFactory.createParameter()
                .name(RequestId.HEADER)
                .in(Parameter.In.HEADER)
                .description("Becomes the id of the request; one of another form is replaced.")
                .schema(text().pattern("^[A-Za-z0-9._-]{1,128}$"));
    }

    private static Schema whole(int most, int usual) {
        return OASFactory.createSchema()
                .addType(SchemaType.INTEGER)
                .format("int32")
                .minimum(BigDecimal.ONE)
                .maximum(BigDecimal.valueOf(most))
                .defaultValue(usual);
    }

    static Schema text() {
        return OASFactory.createSchema().addType(SchemaType.STRING);
    }

    private static Schema time() {
        return text().format("date-time");
    }

    private static Schema flag() {
        return OASFactory.createSchema().addType(SchemaType.BOOLEAN);
    }
}
