package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.apply.DesiredResource.ResourceId;
import io.taskexec.cli.apply.PlanStep.Action;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.RefusedException.Detail;
import io.taskexec.cli.client.ServerClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends each step as a dry run. The server does not see the effect of earlier steps of the plan: a refusal that
 * concerns one of them leaves the result open.
 */
final class DryRun {
    private static final String DRY_RUN = "?dry_run=true";
    private static final String PROBE = "?dry_run=probe";
    private static final int BAD_REQUEST = 400;
    private static final String SIGNING = "/spec/signing/secrets/.*";

    private static final Set<String> KEY = Set.of("UNAUTHORIZED", "FORBIDDEN");

    private final ServerClient client;
    private final Map<ResourceId, PlanStep> steps;

    DryRun(ServerClient client, Plan plan) {
        this.client = client;
        this.steps = new LinkedHashMap<>();
        plan.steps().forEach(step -> steps.put(step.identity(), step));
    }

    /** The result for a step. */
    sealed interface Verdict {
        /** The server accepts the step. */
        record Possible() implements Verdict {}

        /** The result depends on another step of the plan. */
        record Open(ResourceId needed) implements Verdict {}

        /** The server refuses the step. */
        record Refused(String reason) implements Verdict {}
    }

    /**
     * Returns whether the server supports dry runs. An older one ignores the parameter and performs the request, so
     * this sends one that no server can perform.
     */
    boolean isKnown() throws IOException, InterruptedException {
        var first = steps.values().stream().filter(DryRun::isSent).findFirst();
        if (first.isEmpty()) {
            return true;
        }
        try {
            var kind = first.get().identity().kind();
            var asked = kind.isPut() ? ResourceKind.ENDPOINT : kind;
            var _ = client.post(asked.path() + PROBE, JsonNodeFactory.instance.objectNode());
            return false;
        } catch (RefusedException e) {
            if (e.status() != BAD_REQUEST) {
                throw e;
            }
            return e.explanation().contains("dry_run");
        }
    }

    private static boolean isSent(PlanStep step) {
        return step.action() != Action.KEEP && !step.isCancelled();
    }

    Verdict of(PlanStep step) throws IOException, InterruptedException {
        if (!isSent(step)) {
            return new Verdict.Possible();
        }
        try {
            step.perform(client, DRY_RUN);
            return new Verdict.Possible();
        } catch (RefusedException e) {
            if (!isAboutTheStep(e)) {
                throw e;
            }
            var needed = needed(step, e);
            return needed == null ? new Verdict.Refused(e.explanation()) : new Verdict.Open(needed);
        }
    }

    /** Other errors affect every step. */
    private static boolean isAboutTheStep(RefusedException refusal) {
        return !refusal.mayHaveTakenEffect() && !refusal.isTransient() && !KEY.contains(refusal.code());
    }

    /** Returns the changed resource that a refusal concerns; null when it concerns none. */
    private @Nullable ResourceId needed(PlanStep step, RefusedException refusal) {
        if (step.action() == Action.REMOVE) {
            return refusal.code().equals("CONFLICT") ? lettingGo(step.identity()) : null;
        }
        var body = step.body();
        return switch (refusal.code()) {
            case "INVALID_PAYLOAD_SPEC_REF" -> changed(ResourceKind.PAYLOAD_SPEC, body.path("payload_spec"));
            case "INVALID_CONFIG_REF" -> changed(ResourceKind.CONFIG, body.path("config"));
            case "INVALID_QUEUE_REF" -> changed(ResourceKind.QUEUE, body.path("queue"));
            case "TEMPLATE_RESOLUTION_FAILED" -> allOf(refusal.details(), detail -> ofTemplate(step, detail));
            case "INVALID_REQUEST" -> allOf(refusal.details(), detail -> ofField(step, detail));
            case "ENDPOINT_NOT_FOUND" -> missing(body, refusal.details());
            case "INPUT_VALIDATION_FAILED" -> ofInput(body.path("endpoint"));
            default -> null;
        };
    }

    /** Returns a resource that stops using the removed one when the plan is executed. */
    private @Nullable ResourceId lettingGo(ResourceId removed) {
        return steps.values().stream()
                .filter(step -> step.action() == Action.CHANGE || step.action() == Action.REMOVE)
                .filter(step -> !step.identity().equals(removed))
                .filter(step -> uses(step.present().body(), removed) && !uses(step.body(), removed))
                .map(PlanStep::identity)
                .findFirst()
                .orElse(null);
    }

    private static boolean uses(JsonNode body, ResourceId used) {
        Predicate<JsonNode> names = value -> value.asText().equals(used.name());
        return switch (used.kind()) {
            case PAYLOAD_SPEC -> names.test(body.path("payload_spec"));
            case CONFIG -> names.test(body.path("config"));
            case QUEUE -> names.test(body.path("queue"));
            case SECRET ->
                Pattern.compile("secret\\." + used.name() + "(?![\\w-])")
                                .matcher(body.path("spec").toString())
                                .find()
                        || StreamSupport.stream(body.at("/spec/signing/secrets").spliterator(), false)
                                .anyMatch(names);
            case ENDPOINT, WORKFLOW_DEFINITION -> DependencyOrder.neededBy(body).contains(used.name());
            case JOB -> false;
        };
    }

    private @Nullable ResourceId changed(ResourceKind kind, JsonNode name) {
        return changed(new ResourceId(kind, name.asText()));
    }

    /** An endpoint may be declared as a workflow definition. */
    private @Nullable ResourceId endpoint(JsonNode name) {
        var endpoint = changed(ResourceKind.ENDPOINT, name);
        return endpoint != null ? endpoint : changed(ResourceKind.WORKFLOW_DEFINITION, name);
    }

    /** Returns the endpoint that a job lacks, a job of a workflow, or another endpoint. */
    private @Nullable ResourceId missing(JsonNode body, List<Detail> details) {
        return body.has("endpoint")
                ? endpoint(body.path("endpoint"))
                : allOf(details, detail -> endpoint(body.at(place(detail))));
    }

    private static String place(Detail detail) {
        return detail.pointer().replaceFirst("^.* ", "");
    }

    private @Nullable ResourceId changed(ResourceId identity) {
        var step = steps.get(identity);
        return step == null || step.action() == Action.KEEP ? null : identity;
    }

    /** Returns the resource of the first detail; null when a detail concerns no changed resource. */
    private static @Nullable ResourceId allOf(List<Detail> details, Function<Detail, @Nullable ResourceId> about) {
        var found = new ArrayList<@Nullable ResourceId>();
        details.forEach(detail -> found.add(about.apply(detail)));
        return found.isEmpty() || found.contains(null) ? null : found.getFirst();
    }

    private @Nullable ResourceId ofTemplate(PlanStep step, Detail detail) {
        return Stream.concat(
                        secretsNamedIn(detail),
                        Stream.of(step.body().path("config"))
                                .map(name -> detail.message().contains("{{config.")
                                        ? changed(ResourceKind.CONFIG, name)
                                        : null))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private Stream<@Nullable ResourceId> secretsNamedIn(Detail detail) {
        Predicate<ResourceId> isNamed = identity -> detail.message().contains("'" + identity.name() + "'");
        return steps.keySet().stream()
                .filter(identity -> identity.kind() == ResourceKind.SECRET && isNamed.test(identity))
                .map(this::changed);
    }

    private @Nullable ResourceId ofField(PlanStep step, Detail detail) {
        var pointer = place(detail);
        return pointer.matches(SIGNING)
                ? changed(ResourceKind.SECRET, step.body().at(pointer))
                : null;
    }

    /** The plan may change the endpoint, or the payload spec of an unchanged endpoint. */
    private @Nullable ResourceId ofInput(JsonNode endpoint) {
        var workflow = new ResourceId(ResourceKind.WORKFLOW_DEFINITION, endpoint.asText());
        var identity =
                steps.containsKey(workflow) ? workflow : new ResourceId(ResourceKind.ENDPOINT, endpoint.asText());
        var step = steps.get(identity);
        if (step == null || step.action() != Action.KEEP) {
            return changed(identity);
        }
        return changed(
                ResourceKind.PAYLOAD_SPEC, step.resource().document().tree().path("payload_spec"));
    }
}
