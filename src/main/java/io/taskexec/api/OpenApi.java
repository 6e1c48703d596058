package io.taskexec.api;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;
import org.eclipse.microprofile.openapi.models.headers.Header;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.RecordComponentInfo;
import org.jspecify.annotations.Nullable;

/**
 * Completes the OpenAPI document while the program is built: what all operations share, and the errors of each, which no
 * signature tells.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class OpenApi implements OASFilter {
    private static final DotName SCHEMA =
            DotName.createSimple("org.eclipse.microprofile.openapi.annotations.media.Schema");
    private static final DotName NULLABLE = DotName.createSimple("org.jspecify.annotations.Nullable");

    private static final String JSON = "application/json";
    private static final String SCHEMAS = "#/components/schemas/";
    private static final String LIST = "ListView";
    private static final String SECURITY = "bearer";
    private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
    private static final String REPLAYED = "Idempotent-Replayed";
    static final String NAME = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
    static final String SECRET_NAME = "^[A-Za-z0-9_-]{1,63}$";

    private static final Map<String, Route> ROUTES = Stream.of(
                    route("POST /payload-specs", "createPayloadSpec", "Creates a payload spec.")
                            .takes("NewPayloadSpec")
                            .fails(ErrorCode.CONFLICT, ErrorCode.INVALID_SCHEMA),
                    route("GET /payload-specs", "listPayloadSpecs", "Lists payload specs, newest first."),
                    route("GET /payload-specs/{name}", "getPayloadSpec", "Shows a payload spec.")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND),
                    route("PUT /payload-specs/{name}", "updatePayloadSpec", "Replaces the schema of a payload spec.")
                            .takes("PayloadSpecUpdate")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND, ErrorCode.INVALID_SCHEMA),
                    route("DELETE /payload-specs/{name}", "deletePayloadSpec", "Deletes a payload spec.")
                            .fails(ErrorCode.PAYLOAD_SPEC_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /configs", "createConfig", "Creates a config.")
                            .takes("NewConfig")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /configs", "listConfigs", "Lists configs, newest first."),
                    route("GET /configs/{name}", "getConfig", "Shows a config.").fails(ErrorCode.CONFIG_NOT_FOUND),
                    route("PUT /configs/{name}", "updateConfig", "Replaces the values of a config.")
                            .takes("ConfigUpdate")
                            .fails(ErrorCode.CONFIG_NOT_FOUND),
                    route("DELETE /configs/{name}", "deleteConfig", "Deletes a config.")
                            .fails(ErrorCode.CONFIG_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /secrets", "createSecret", "Creates a secret.")
                            .takes("NewSecret")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /secrets", "listSecrets", "Lists secrets without their values, newest first."),
                    route("GET /secrets/{name}", "getSecret", "Shows a secret without its value.")
                            .fails(ErrorCode.SECRET_NOT_FOUND),
                    route("PUT /secrets/{name}", "updateSecret", "Replaces the value of a secret.")
                            .takes("SecretUpdate")
                            .fails(ErrorCode.SECRET_NOT_FOUND),
                    route("DELETE /secrets/{name}", "deleteSecret", "Deletes a secret.")
                            .fails(ErrorCode.SECRET_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /endpoints", "createEndpoint", "Registers an endpoint.")
                            .takes("NewEndpoint")
                            .fails(
                                    ErrorCode.CONFLICT,
                                    ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                                    ErrorCode.INVALID_CONFIG_REF,
                                    ErrorCode.TEMPLATE_RESOLUTION_FAILED),
                    route("GET /endpoints", "listEndpoints", "Lists endpoints, newest first."),
                    route("GET /endpoints/{name}", "getEndpoint", "Shows an endpoint.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND),
                    route("PUT /endpoints/{name}", "updateEndpoint", "Makes the next version of an endpoint.")
                            .takes("EndpointUpdate")
                            .fails(
                                    ErrorCode.ENDPOINT_NOT_FOUND,
                                    ErrorCode.INVALID_PAYLOAD_SPEC_REF,
                                    ErrorCode.INVALID_CONFIG_REF,
                                    ErrorCode.TEMPLATE_RESOLUTION_FAILED),
                    route("DELETE /endpoints/{name}", "deleteEndpoint", "Deletes an endpoint without unfinished jobs.")
                            .fails(ErrorCode.ENDPOINT_NOT_FOUND, ErrorCode.CONFLICT),
                    route("POST /jobs", "createJob", "Creates a job, or finds the one that has the key.")
                            .takes("NewJob")
                            .fails(
                                    ErrorCode.ENDPOINT_NOT_FOUND,
                                    ErrorCode.CONFLICT,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED,
                                    ErrorCode.IDEMPOTENCY_KEY_REUSED),
                    route("POST /jobs/batch", "createJobs", "Creates many jobs, each with an answer of its own.")
                            .takes("NewJobs"),
                    route("GET /jobs", "listJobs", "Lists jobs, newest first."),
                    route("GET /jobs/{id}", "getJob", "Shows a job.").fails(ErrorCode.JOB_NOT_FOUND),
                    route("PUT /jobs/{id}", "updateJob", "Makes the next version of a CRON job.")
                            .takes("JobUpdate")
                            .fails(
                                    ErrorCode.JOB_NOT_FOUND,
                                    ErrorCode.JOB_NOT_UPDATABLE,
                                    ErrorCode.INVALID_CRON,
                                    ErrorCode.INPUT_VALIDATION_FAILED),
                    route("POST /jobs/{id}/cancel", "cancelJob", "Ends a CRON job, or a one-shot job's execution.")
                            .fails(ErrorCode.JOB_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE),
                    route("GET /jobs/{id}/versions", "listJobVersions", "Lists all versions of a job, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("GET /jobs/{id}/executions", "listJobExecutions", "Lists a job's executions, newest first.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("GET /executions/{id}", "getExecution", "Shows an execution.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("POST /executions/{id}/cancel", "cancelExecution", "Cancels an execution.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.EXECUTION_NOT_CANCELLABLE),
                    route("GET /executions/{id}/attempts", "listAttempts", "Lists all attempts, first to last.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("GET /executions/{id}/logs", "listLogs", "Lists what did not go well, first to last.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND),
                    route("POST /executions/{id}/retry", "retryExecution", "Repeats an execution that has ended.")
                            .fails(ErrorCode.EXECUTION_NOT_FOUND, ErrorCode.CONFLICT),
                    route("GET /jobs/{id}/status", "getJobStatus", "Shows how a job is doing.")
                            .fails(ErrorCode.JOB_NOT_FOUND),
                    route("POST /keys", "createKey", "Creates an API key.")
                            .takes("NewKey")
                            .fails(ErrorCode.CONFLICT),
                    route("GET /keys", "listKeys", "Lists API keys, newest first."),
                    route("GET /keys/{id}", "getKey", "Shows an API key without the key itself.")
                            .fails(ErrorCode.KEY_NOT_FOUND),
                    route("DELETE /keys/{id}", "revokeKey", "Revokes an API key.")
                            .fails(ErrorCode.KEY_NOT_FOUND),
                    route("GET /audit", "listAudit", "Lists who changed what, newest first."))
            .collect(Collectors.toUnmodifiableMap(Route::key, Function.identity()));

    /** What answers 201, always or when there was no such job. */
    private static final Set<String> CREATING = Set.of(
            "POST /payload-specs",
            "POST /configs",
            "POST /secrets",
            "POST /endpoints",
            "POST /jobs",
            "POST /keys",
            "POST /executions/{id}/retry");

    private final IndexView index;

    /** New names of the lists by old reference; a generic type has no name of its own. */
    private final Map<String, String> lists = new HashMap<>();

    /** @param index the classes of the program */
    public OpenApi(IndexView index) {
        this.index = index;
    }

    /** @param body the schema of the request's body; null for none */
    private record Route(
            String key, String id, String summary, @Nullable String body, List<ErrorCode> codes) {
        Route takes(String schema) {
            return new Route(key, id, summary, schema, codes);
        }

        Route fails(ErrorCode... errors) {
            return new Route(key, id, summary, body, List.of(errors));
        }
    }

    private static Route route(String key, String id, String summary) {
        return new Route(key, id, summary, null, List.of());
    }

    @Override
    public void filterOpenAPI(OpenAPI document) {
        var components = document.getComponents();
        var schemas = components.getSchemas();
        index.getAnnotations(SCHEMA).stream()
                .filter(use -> use.target().kind() == AnnotationTarget.Kind.CLASS
                        && use.target().asClass().isRecord()
                        && use.value("name") != null)
                .forEach(use -> require(
                        named(schemas, use.value("name").asString()),
                        use.target().asClass()));
        Stream.of("PayloadSpec", "Config", "Secret", "Endpoint")
                .forEach(noun -> components.addSchema(noun + "Update", update(named(schemas, "New" + noun))));
        schemas.keySet().stream().filter(name -> name.startsWith(LIST)).toList().forEach(name -> {
            var list = named(schemas, name);
            components.removeSchema(name);
            components.addSchema(listName(list), cursorIsThere(list));
            lists.put(SCHEMAS + name, listName(list));
        });
        components.getSchemas().forEach((name, schema) -> {
            if (name.startsWith("New") || name.endsWith("Update")) {
                schema.setAdditionalPropertiesSchema(OASFactory.createSchema().booleanSchema(false));
            }
        });
        named(named(schemas, "ErrorExplanation").getProperties(), "code").setEnumeration(codes());
        components.setSchemas(new TreeMap<>(components.getSchemas()));
        components
                .addSecurityScheme(
                        SECURITY,
                        OASFactory.createSecurityScheme()
                                .type(SecurityScheme.Type.HTTP)
                                .scheme("bearer")
                                .description("An API key."))
                .addParameter(RequestId.HEADER, requestId())
                .addHeader(
                        RequestId.HEADER,
                        header("The id of the request, in the log and in errors.")
                                .required(true))
                .addHeader("Location", header("The path of what was created.").required(true))
                .addHeader(REPLAYED, header("'true': the key had this job already."))
                .addHeader("Retry-After", header("Seconds to wait.").required(true));
        document.addSecurityRequirement(OASFactory.createSecurityRequirement().addScheme(SECURITY));
        document.getPaths().getPathItems().forEach(this::complete);
    }

    private static Schema named(Map<String, Schema> schemas, String name) {
        return Objects.requireNonNull(schemas.get(name), name);
    }

    private static String listName(Schema list) {
        return named(list.getProperties(), "items").getItems().getRef().substring(SCHEMAS.length()) + "List";
    }

    private static Schema cursorIsThere(Schema list) {
        named(list.getProperties(), "cursor").setType(List.of(SchemaType.STRING, SchemaType.NULL));
        return list.required(List.of("items", "cursor"));
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

    /** What a record has without {@code @Nullable} is always there. */
    private static void require(Schema schema, ClassInfo type) {
        schema.setRequired(type.recordComponents().stream()
                .filter(component -> !isNullable(component))
                .map(component -> snakeCase(component.name()))
                .toList());
    }

    private static boolean isNullable(RecordComponentInfo component) {
        return component.type().hasAnnotation(NULLABLE);
    }

    private static String snakeCase(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static List<Object> codes() {
        return Arrays.stream(ErrorCode.values()).<Object>map(Enum::name).toList();
    }

    private static Parameter requestId() {
        return OASFactory.createParameter()
                .name(RequestId.HEADER)
                .in(Parameter.In.HEADER)
                .description("Becomes the id of the request; one of another form is replaced.")
                .schema(text().pattern("^[A-Za-z0-9._-]{1,128}$"));
    }

    private static Header header(String description) {
        return OASFactory.createHeader().description(description).schema(text());
    }

    private static Schema text() {
        return OASFactory.createSchema().addType(SchemaType.STRING);
    }

    private void complete(String path, PathItem item) {
        item.getOperations().forEach((method, operation) -> complete(path, method, operation));
    }

    private void complete(String path, HttpMethod method, Operation operation) {
        var key = method + " " + path;
        var route = ROUTES.get(key);
        if (route == null) {
            throw new IllegalStateException(key + " has no row in " + OpenApi.class);
        }
        operation.operationId(route.id()).summary(route.summary()).tags(List.of(tag(path)));
        parameters(path, operation).forEach(OpenApi::limit);
        operation.addParameter(OASFactory.createParameter().ref(RequestId.HEADER));
        if (route.body() != null) {
            operation.setRequestBody(
                    OASFactory.createRequestBody().required(true).content(json(route.body())));
        }
        successes(key, method, operation);
        errors(operation, route)
                .forEach((status, codes) ->
                        operation.getResponses().addAPIResponse(String.valueOf(status), error(codes)));
    }

    private static String tag(String path) {
        var noun = path.split("/", -1)[1].replace('-', ' ');
        return noun.substring(0, 1).toUpperCase(Locale.ROOT) + noun.substring(1);
    }

    private static List<Parameter> parameters(String path, Operation operation) {
        var parameters = operation.getParameters() == null ? List.<Parameter>of() : operation.getParameters();
        parameters.stream()
                .filter(parameter -> parameter.getIn() == Parameter.In.PATH)
                .forEach(parameter -> parameter.schema(text().pattern(pattern(path))));
        return parameters;
    }

    private static String pattern(String path) {
        return switch (path.split("/", -1)[1]) {
            case "jobs" -> "^job_[0-9a-f]{32}$";
            case "executions" -> "^exec_[0-9a-f]{32}$";
            case "secrets" -> SECRET_NAME;
            default -> NAME;
        };
    }

    private static void limit(Parameter parameter) {
        switch (parameter.getName()) {
            case IDEMPOTENCY_KEY ->
                parameter
                        .description("Stands for the field 'idempotency_key', and must equal it when both are given.")
                        .schema(text().minLength(1).maxLength(255));
            case "force" ->
                parameter
                        .description("Also cancels an execution that runs.")
                        .schema(OASFactory.createSchema()
                                .addType(SchemaType.BOOLEAN)
                                .defaultValue(false));
            default -> {}
        }
    }

    private void successes(String key, HttpMethod method, Operation operation) {
        var declared = operation.getResponses().getAPIResponses().values().stream()
                .map(APIResponse::getContent)
                .filter(content -> content != null && content.getMediaType(JSON) != null)
                .findFirst()
                .map(content -> content.getMediaType(JSON).getSchema().getRef())
                .map(ref -> json(lists.getOrDefault(ref, ref.substring(SCHEMAS.length()))));
        var found = declared.orElse(null);
        var responses = OASFactory.createAPIResponses();
        if (method == HttpMethod.DELETE) {
            responses.addAPIResponse("204", answer("Deleted."));
        } else if (CREATING.contains(key)) {
            responses.addAPIResponse(
                    "201", answer("Created.").content(found).addHeader("Location", reference("Location")));
        } else {
            responses.addAPIResponse("200", answer("Done.").content(found));
        }
        if (key.equals("POST /jobs")) {
            responses.addAPIResponse(
                    "200",
                    answer("The same request was made before.")
                            .content(found)
                            .addHeader(REPLAYED, reference(REPLAYED)));
        }
        operation.setResponses(responses);
    }

    private static APIResponse answer(String description) {
        return OASFactory.createAPIResponse()
                .description(description)
                .addHeader(RequestId.HEADER, reference(RequestId.HEADER));
    }

    private static Header reference(String header) {
        return OASFactory.createHeader().ref(header);
    }

    /** The codes that an operation may fail with, by status. */
    private static Map<Integer, List<ErrorCode>> errors(Operation operation, Route route) {
        var codes = EnumSet.of(
                ErrorCode.UNAUTHORIZED, ErrorCode.RATE_LIMITED, ErrorCode.INTERNAL_ERROR, ErrorCode.UNAVAILABLE);
        codes.addAll(route.codes());
        if (route.body() != null) {
            codes.addAll(List.of(ErrorCode.INVALID_REQUEST, ErrorCode.PAYLOAD_TOO_LARGE));
        }
        if (operation.getParameters().stream().anyMatch(p -> p.getIn() == Parameter.In.QUERY)) {
            codes.add(ErrorCode.INVALID_REQUEST);
        }
        return codes.stream()
                .collect(Collectors.groupingBy(
                        ErrorCode::status, TreeMap::new, Collectors.toCollection(ArrayList::new)));
    }

    private static APIResponse error(List<ErrorCode> codes) {
        var names = codes.stream().map(Enum::name).toList();
        var response = answer(String.join(", ", names)).content(json("Error")).addExtension("x-error-codes", names);
        return codes.contains(ErrorCode.RATE_LIMITED) || codes.contains(ErrorCode.UNAVAILABLE)
                ? response.addHeader("Retry-After", reference("Retry-After"))
                : response;
    }

    private static Content json(String schema) {
        return OASFactory.createContent()
                .addMediaType(
                        JSON,
                        OASFactory.createMediaType()
                                .schema(OASFactory.createSchema().ref(SCHEMAS + schema)));
    }
}
