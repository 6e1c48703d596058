package io.taskexec.api.openapi;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import io.taskexec.api.auth.Authentication;
import io.taskexec.api.web.Creates;
import io.taskexec.api.web.EntityTag;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.MergePatch;
import io.taskexec.request.RequestId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.PathItem.HttpMethod;
import org.eclipse.microprofile.openapi.models.headers.Header;
import org.eclipse.microprofile.openapi.models.media.Content;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/**
 * Completes the OpenAPI document while the program is built: what all operations share, and the errors of each, which
 * no signature tells.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class OpenApi implements OASFilter {
    private static final Set<ErrorCode> OF_GRAPHS = Set.of(
            ErrorCode.DEPENDENCY_NOT_FOUND,
            ErrorCode.DUPLICATE_DEPENDENCY,
            ErrorCode.TOO_MANY_DEPENDENCIES,
            ErrorCode.TRIGGER_RULE_IMPOSSIBLE,
            ErrorCode.UNKNOWN_PARENT,
            ErrorCode.INVALID_CONDITION,
            ErrorCode.WORKFLOW_CYCLE,
            ErrorCode.TOO_MANY_JOBS,
            ErrorCode.INVALID_QUEUE_REF,
            ErrorCode.INPUT_VALIDATION_FAILED,
            ErrorCode.TEMPLATE_RESOLUTION_FAILED);

    private static final String JSON = "application/json";
    private static final String SECURITY = "bearer";
    /** What has an entity tag for changes alone: that of its version. */
    private static final Set<String> JOB_PATHS = Set.of("/jobs/{id}", "/endpoints/{name}/keys/{key}");

    private static final String REPLAYED = "Idempotent-Replayed";
    private static final String NOT_MODIFIED = "304";

    private static final Set<String> TAGGED =
            Set.of("workflow-definitions", "queues", "payload-specs", "configs", "secrets", "endpoints");

    private final OpenApiSchemas schemas;
    private final IndexView index;

    /** The paths that have a token and need no key. */
    private static final String OPEN = "/callbacks/";

    /** By operation id. */
    private final Map<String, MethodInfo> methods;

    /** @param index the classes of the program */
    public OpenApi(IndexView index) {
        schemas = new OpenApiSchemas(index);
        this.index = index;
        // The index is of several parts, and a class may be in two of them.
        methods = index.getAnnotations(org.eclipse.microprofile.openapi.annotations.Operation.class).stream()
                .collect(Collectors.toMap(
                        found -> found.value("operationId").asString(),
                        found -> found.target().asMethod(),
                        (method, _) -> method));
    }

    @Override
    public Schema filterSchema(Schema schema) {
        schemas.visit(schema);
        return schema;
    }

    /** Called after all schemas have been. */
    @Override
    public void filterOpenAPI(OpenAPI document) {
        var components = document.getComponents();
        schemas.complete(components);
        // No setting has the identifier of a license, which generators ask for; the rest of the information is set.
        document.setInfo(OASFactory.createInfo()
                .description(OpenApiText.INTRODUCTION)
                .license(OASFactory.createLicense().name("Apache License 2.0").identifier("Apache-2.0")));
        document.setServers(OpenApiText.servers());
        document.setTags(OpenApiText.tags());
        components
                .addSecurityScheme(
                        SECURITY,
                        OASFactory.createSecurityScheme()
                                .type(SecurityScheme.Type.HTTP)
                                .scheme("bearer")
                                .description("An API key."))
                .addParameter(RequestId.HEADER, OpenApiParameters.requestId())
                .addHeader(
                        RequestId.HEADER,
                        header("The id of the request, in the log and in errors.")
                                .required(true))
                .addHeader("Location", header("The path of what was created.").required(true))
                .addHeader(
                        EntityTag.HEADER,
                        header("The state of the resource, for If-Match and If-None-Match; a dry run has none."))
                .addHeader(REPLAYED, header("'true': the key had this job already."))
                .addHeader(
                        Authentication.CHALLENGE,
                        header("'Bearer', with what is wrong with a key that was sent (RFC 6750).")
                                .required(true))
                .addHeader("Retry-After", header("Seconds to wait.").required(true));
        document.addSecurityRequirement(OASFactory.createSecurityRequirement().addScheme(SECURITY));
        document.getPaths().getPathItems().forEach(this::complete);
    }

    private static Header header(String description) {
        return OASFactory.createHeader().description(description).schema(OpenApiParameters.text());
    }

    private void complete(String path, PathItem item) {
        item.getOperations().forEach((method, operation) -> complete(path, method, operation));
    }

    private void complete(String path, HttpMethod method, Operation operation) {
        var key = method + " " + path;
        var route = methods.get(operation.getOperationId());
        if (route == null) {
            throw new IllegalStateException(key + " has no @Operation");
        }
        operation.tags(List.of(tag(path)));
        OpenApiParameters.complete(path, operation);
        operation.addParameter(OASFactory.createParameter().ref(RequestId.HEADER));
        var body = route.annotation(RequestSchema.class);
        if (body != null) {
            operation.setRequestBody(OASFactory.createRequestBody()
                    .required(body.valueWithDefault(index, "required").asBoolean())
                    .content(content(method, body.value().asString())));
        }
        successes(path, method, route, operation);
        var open = path.startsWith(OPEN);
        if (open) {
            operation.setSecurity(List.of());
        }
        errors(route, open)
                .forEach((status, codes) ->
                        operation.getResponses().addAPIResponse(String.valueOf(status), error(codes)));
    }

    private static String tag(String path) {
        var noun = path.split("/", -1)[1].replace('-', ' ');
        return noun.substring(0, 1).toUpperCase(Locale.ROOT) + noun.substring(1);
    }

    private static void successes(String path, HttpMethod method, MethodInfo route, Operation operation) {
        var declared = operation.getResponses().getAPIResponses().values().stream()
                .map(APIResponse::getContent)
                .filter(content -> content != null && content.getMediaType(JSON) != null)
                .findFirst()
                .map(content -> content.getMediaType(JSON).getSchema().getRef())
                .map(ref -> json(ref.substring(OpenApiSchemas.REFERENCE.length())));
        var found = declared.orElse(null);
        var isTagged = isTagged(path, method);
        var responses = OASFactory.createAPIResponses();
        if (method == HttpMethod.DELETE && found == null) {
            responses.addAPIResponse("204", answer("Deleted."));
        } else if (route.hasAnnotation(Creates.class)) {
            responses.addAPIResponse(
                    "201", answer("Created.").content(found).addHeader("Location", reference("Location")));
        } else {
            responses.addAPIResponse("200", answer("Done.").content(found));
        }
        if (method == HttpMethod.PUT && route.hasAnnotation(Creates.class)) {
            responses.addAPIResponse("200", answer("Replaced, or a dry run.").content(found));
        }
        if (isTagged && method == HttpMethod.POST) {
            responses.addAPIResponse("200", answer("A dry run.").content(found));
        }
        if (Set.of("/jobs", "/workflows").contains(path) && method == HttpMethod.POST) {
            responses.addAPIResponse(
                    "200",
                    answer("The same request was made before, or a dry run.")
                            .content(found)
                            .addHeader(REPLAYED, reference(REPLAYED)));
        }
        if (path.equals("/events")) {
            responses.addAPIResponse("200", answer("Events from now on.").content(eventStream()));
        }
        if (path.equals("/executions/bulk")) {
            responses.addAPIResponse("200", answer("A dry run.").content(found));
        }
        if (path.equals("/jobs/{id}/trigger")) {
            responses.addAPIResponse(
                    "200", answer("A job that runs once runs now.").content(found));
        }
        if (JOB_PATHS.contains(path) && (method == HttpMethod.GET || method == HttpMethod.PATCH)) {
            responses.getAPIResponses().values().forEach(OpenApi::tagged);
        }
        if (isTagged) {
            responses.getAPIResponses().forEach((status, response) -> {
                if (method != HttpMethod.POST || status.equals("201")) {
                    tagged(response);
                }
            });
        }
        if (isTagged && method == HttpMethod.GET) {
            responses.addAPIResponse(NOT_MODIFIED, tagged(answer("The client has it already.")));
        }
        operation.setResponses(responses);
    }

    /** Whether the operation answers with the entity tag of a resource. */
    private static boolean isTagged(String path, HttpMethod method) {
        var segments = path.split("/", -1);
        var hasName = segments.length == 3;
        return TAGGED.contains(segments[1])
                && (method == HttpMethod.POST ? segments.length == 2 : hasName && method != HttpMethod.DELETE);
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
    private static Map<Integer, List<ErrorCode>> errors(MethodInfo route, boolean open) {
        var codes = EnumSet.of(
                ErrorCode.INVALID_REQUEST,
                ErrorCode.UNAUTHORIZED,
                ErrorCode.FORBIDDEN,
                ErrorCode.RATE_LIMITED,
                ErrorCode.INTERNAL_ERROR,
                ErrorCode.UNAVAILABLE);
        var fails = route.annotation(Fails.class);
        if (fails != null) {
            Arrays.stream(fails.value().asEnumArray()).map(ErrorCode::valueOf).forEach(codes::add);
            var graph = fails.value("graph");
            if (graph != null && graph.asBoolean()) {
                codes.addAll(OF_GRAPHS);
            }
        }
        if (route.hasAnnotation(RequestSchema.class)) {
            codes.add(ErrorCode.PAYLOAD_TOO_LARGE);
        }
        if (open) {
            codes.removeAll(Set.of(ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN));
        }
        return codes.stream()
                .collect(Collectors.groupingBy(
                        ErrorCode::status, TreeMap::new, Collectors.toCollection(ArrayList::new)));
    }

    private static APIResponse error(List<ErrorCode> codes) {
        var names = codes.stream().map(Enum::name).toList();
        var response =
                answer(String.join(", ", names)).content(json("ErrorResponse")).addExtension("x-error-codes", names);
        if (codes.contains(ErrorCode.UNAUTHORIZED) || codes.contains(ErrorCode.FORBIDDEN)) {
            response.addHeader(Authentication.CHALLENGE, reference(Authentication.CHALLENGE));
        }
        return codes.contains(ErrorCode.RATE_LIMITED) || codes.contains(ErrorCode.UNAVAILABLE)
                ? response.addHeader("Retry-After", reference("Retry-After"))
                : response;
    }

    private static Content eventStream() {
        return OASFactory.createContent()
                .addMediaType("text/event-stream", OASFactory.createMediaType().schema(OpenApiParameters.text()));
    }

    /** A patch has a media type of its own, too. */
    private static Content content(HttpMethod method, String schema) {
        var content = json(schema);
        return method == HttpMethod.PATCH
                ? content.addMediaType(MergePatch.MEDIA_TYPE, content.getMediaType(JSON))
                : content;
    }

    private static Content json(String schema) {
        return OASFactory.createContent()
                .addMediaType(JSON, OASFactory.createMediaType().schema(OpenApiSchemas.reference(schema)));
    }
}
