package io.taskexec.api;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
    private static final String NOT_MODIFIED = "304";
    static final String NAME = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
    static final String SECRET_NAME = "^[A-Za-z0-9_-]{1,63}$";

    private final IndexView index;

    /** New names of the lists by old reference; a generic type has no name of its own. */
    private final Map<String, String> lists = new HashMap<>();

    /** @param index the classes of the program */
    public OpenApi(IndexView index) {
        this.index = index;
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
        // A list with more to it than a page.
        var gaps = named(schemas, "Gaps");
        named(gaps.getProperties(), "cursor").setType(List.of(SchemaType.STRING, SchemaType.NULL));
        gaps.addRequired("cursor");
        components.getSchemas().forEach((name, schema) -> {
            if (name.startsWith("New") || name.endsWith("Update")) {
                schema.setAdditionalPropertiesSchema(OASFactory.createSchema().booleanSchema(false));
            }
        });
        components.getSchemas().values().forEach(OpenApi::distinct);
        // No setting has the identifier, which generators ask for; the rest of the information is set.
        document.setInfo(OASFactory.createInfo()
                .license(OASFactory.createLicense().name("Apache License 2.0").identifier("Apache-2.0")));
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
                .addHeader(
                        EntityTag.HEADER,
                        header("The state of the resource, for If-Match and If-None-Match.")
                                .required(true))
                .addHeader(REPLAYED, header("'true': the key had this job already."))
                .addHeader(
                        Authentication.CHALLENGE,
                        header("'Bearer', with what is wrong with a key that was sent (RFC 6750).")
                                .required(true))
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

    /**
     * What a type says of itself beside what its field says of it: the reference gives way to the field's choice of
     * types, and the field's type to the reference. Generators follow the one or the other.
     */
    private static void distinct(Schema schema) {
        if (schema.getProperties() == null) {
            return;
        }
        schema.getProperties().values().stream()
                .filter(property -> property.getRef() != null)
                .forEach(property -> {
                    if (property.getOneOf() != null) {
                        property.setRef(null);
                    } else {
                        property.setType(null);
                    }
                });
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
        var route = OpenApiRoutes.ALL.get(key);
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
        errors(route)
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
            case "operations" -> "^op_[0-9a-f]{32}$";
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
            case EntityTags.IF_MATCH ->
                parameter
                        .description("Writes only when the resource has one of these entity tags, or any for '*'.")
                        .schema(text());
            case EntityTags.IF_NONE_MATCH ->
                parameter
                        .description("Shows the resource only when it has none of these entity tags.")
                        .schema(text());
            case TraceHeaders.PARENT ->
                parameter
                        .description("The W3C trace that the job and all its deliveries belong to.")
                        .schema(text());
            case TraceHeaders.STATE ->
                parameter
                        .description("What tracing systems add to 'traceparent'; 512 characters are kept.")
                        .schema(text());
            case "Last-Event-ID", "last_event_id" ->
                parameter
                        .description(
                                "The id of the last event that was seen, to resume after it; the header comes first.")
                        .schema(text().pattern("^[0-9]{1,19}$"));
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
        } else if (OpenApiRoutes.CREATING.contains(key)) {
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
        if (key.equals("GET /events")) {
            responses.addAPIResponse("200", answer("Events from now on.").content(eventStream()));
        }
        if (key.equals("POST /executions/bulk")) {
            responses.addAPIResponse("200", answer("A dry run.").content(found));
        }
        if (OpenApiRoutes.TAGGED.contains(key)) {
            responses.getAPIResponses().values().forEach(OpenApi::tagged);
        }
        if (OpenApiRoutes.TAGGED.contains(key) && method == HttpMethod.GET) {
            responses.addAPIResponse(NOT_MODIFIED, tagged(answer("The client has it already.")));
        }
        operation.setResponses(responses);
    }

    @CanIgnoreReturnValue
    private static APIResponse tagged(APIResponse response) {
        return response.addHeader(EntityTag.HEADER, reference(EntityTag.HEADER));
    }

    private static APIResponse answer(String description) {
        return OASFactory.createAPIResponse()
                .description(description)
                .addHeader(RequestId.HEADER, reference(RequestId.HEADER));
    }

    private static Header reference(String header) {
        return OASFactory.createHeader().ref(header);
    }

    /** The codes that an operation may fail with, by status: any query can have a parameter that is not known. */
    private static Map<Integer, List<ErrorCode>> errors(OpenApiRoutes.Route route) {
        var codes = EnumSet.of(
                ErrorCode.INVALID_REQUEST,
                ErrorCode.UNAUTHORIZED,
                ErrorCode.FORBIDDEN,
                ErrorCode.RATE_LIMITED,
                ErrorCode.INTERNAL_ERROR,
                ErrorCode.UNAVAILABLE);
        codes.addAll(route.codes());
        if (route.body() != null) {
            codes.add(ErrorCode.PAYLOAD_TOO_LARGE);
        }
        return codes.stream()
                .collect(Collectors.groupingBy(
                        ErrorCode::status, TreeMap::new, Collectors.toCollection(ArrayList::new)));
    }

    private static APIResponse error(List<ErrorCode> codes) {
        var names = codes.stream().map(Enum::name).toList();
        var response = answer(String.join(", ", names)).content(json("Error")).addExtension("x-error-codes", names);
        if (codes.contains(ErrorCode.UNAUTHORIZED) || codes.contains(ErrorCode.FORBIDDEN)) {
            response.addHeader(Authentication.CHALLENGE, reference(Authentication.CHALLENGE));
        }
        return codes.contains(ErrorCode.RATE_LIMITED) || codes.contains(ErrorCode.UNAVAILABLE)
                ? response.addHeader("Retry-After", reference("Retry-After"))
                : response;
    }

    private static Content eventStream() {
        return OASFactory.createContent()
                .addMediaType("text/event-stream", OASFactory.createMediaType().schema(text()));
    }

    private static Content json(String schema) {
        return OASFactory.createContent()
                .addMediaType(
                        JSON,
                        OASFactory.createMediaType()
                                .schema(OASFactory.createSchema().ref(SCHEMAS + schema)));
    }
}
