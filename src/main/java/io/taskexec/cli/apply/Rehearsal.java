package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.apply.Declared.Identity;
import io.taskexec.cli.apply.Step.Action;
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
 * Asks the server what it would answer to each step, without doing it. The server sees one step at a time, so it cannot
 * know what the steps before would have made: a refusal that is about such a thing leaves the question open.
 */
final class Rehearsal {
    private static final String DRY_RUN = "?dry_run=true";
    private static final String PROBE = "?dry_run=probe";
    private static final int BAD_REQUEST = 400;
    private static final String CALLBACKS = "/on_(success|failure)";
    private static final String SIGNING = "/spec/signing/secrets/.*";

    private static final Set<String> KEY = Set.of("UNAUTHORIZED", "FORBIDDEN");

    private final ServerClient client;
    private final Map<Identity, Step> steps;

    Rehearsal(ServerClient client, Plan plan) {
        this.client = client;
        this.steps = new LinkedHashMap<>();
        plan.steps().forEach(step -> steps.put(step.identity(), step));
    }

    /** What is known of a step. */
    sealed interface Verdict {
        /** The server would do it. */
        record Possible() implements Verdict {}

        /** That depends on another step of the run. */
        record Open(Identity needed) implements Verdict {}

        /** The server would not do it. */
        record Refused(String reason) implements Verdict {}
    }

    /**
     * Whether the server knows dry runs. An older one passes over the parameter and does what it is asked, so this asks for
     * something that no server can do.
     */
    boolean isKnown() throws RefusedException, IOException, InterruptedException {
        var first = steps.values().stream().filter(Rehearsal::isSent).findFirst();
        if (first.isEmpty()) {
            return true;
        }
        try {
            var _ = client.post(first.get().identity().kind().path() + PROBE, JsonNodeFactory.instance.objectNode());
            return false;
        } catch (RefusedException e) {
            if (e.status() != BAD_REQUEST) {
                throw e;
            }
            return e.explanation().contains("dry_run");
        }
    }

    private static boolean isSent(Step step) {
        return step.action() != Action.KEEP && !step.isCancelled();
    }

    Verdict of(Step step) throws RefusedException, IOException, InterruptedException {
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

    /** Others would meet every step. */
    private static boolean isAboutTheStep(RefusedException refusal) {
        return !refusal.mayBeDone() && !refusal.isPassing() && !KEY.contains(refusal.code());
    }

    /** What the run makes or changes that a refusal is about; null when it is about something else. */
    private @Nullable Identity needed(Step step, RefusedException refusal) {
        if (step.action() == Action.REMOVE) {
            return refusal.code().equals("CONFLICT") ? lettingGo(step.identity()) : null;
        }
        var body = step.body();
        return switch (refusal.code()) {
            case "INVALID_PAYLOAD_SPEC_REF" -> changed(Kind.PAYLOAD_SPEC, body.path("payload_spec"));
            case "INVALID_CONFIG_REF" -> changed(Kind.CONFIG, body.path("config"));
            case "TEMPLATE_RESOLUTION_FAILED" -> allOf(refusal.details(), detail -> ofTemplate(step, detail));
            case "INVALID_REQUEST" -> allOf(refusal.details(), detail -> ofField(step, detail));
            case "ENDPOINT_NOT_FOUND" -> changed(Kind.ENDPOINT, body.path("endpoint"));
            case "INPUT_VALIDATION_FAILED" -> ofInput(body.path("endpoint"));
            default -> null;
        };
    }

    /** What uses something now, and no longer does once the run has changed or removed it. */
    private @Nullable Identity lettingGo(Identity removed) {
        return steps.values().stream()
                .filter(step -> step.action() == Action.CHANGE || step.action() == Action.REMOVE)
                .filter(step -> !step.identity().equals(removed))
                .filter(step -> uses(step.present(), removed) && !uses(step.body(), removed))
                .map(Step::identity)
                .findFirst()
                .orElse(null);
    }

    private static boolean uses(JsonNode body, Identity used) {
        Predicate<JsonNode> names = value -> value.asText().equals(used.name());
        return switch (used.kind()) {
            case PAYLOAD_SPEC -> names.test(body.path("payload_spec"));
            case CONFIG -> names.test(body.path("config"));
            case SECRET ->
                Pattern.compile("secret\\." + used.name() + "(?![\\w-])")
                                .matcher(body.path("spec").toString())
                                .find()
                        || StreamSupport.stream(body.at("/spec/signing/secrets").spliterator(), false)
                                .anyMatch(names);
            case ENDPOINT ->
                Stream.of("endpoint", "on_success", "on_failure")
                        .map(body::path)
                        .anyMatch(names);
            case JOB -> false;
        };
    }

    private @Nullable Identity changed(Kind kind, JsonNode name) {
        return changed(new Identity(kind, name.asText()));
    }

    private @Nullable Identity changed(Identity identity) {
        var step = steps.get(identity);
        return step == null || step.action() == Action.KEEP ? null : identity;
    }

    /** The first of what the details are about; null when one of them is about something else. */
    private static @Nullable Identity allOf(List<Detail> details, Function<Detail, @Nullable Identity> about) {
        var found = new ArrayList<@Nullable Identity>();
        details.forEach(detail -> found.add(about.apply(detail)));
        return found.isEmpty() || found.contains(null) ? null : found.getFirst();
    }

    private @Nullable Identity ofTemplate(Step step, Detail detail) {
        return Stream.concat(
                        secretsNamedIn(detail),
                        Stream.of(step.body().path("config"))
                                .map(name ->
                                        detail.message().contains("{{config.") ? changed(Kind.CONFIG, name) : null))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private Stream<@Nullable Identity> secretsNamedIn(Detail detail) {
        Predicate<Identity> isNamed = identity -> detail.message().contains("'" + identity.name() + "'");
        return steps.keySet().stream()
                .filter(identity -> identity.kind() == Kind.SECRET && isNamed.test(identity))
                .map(this::changed);
    }

    private @Nullable Identity ofField(Step step, Detail detail) {
        var pointer = detail.pointer().replaceFirst("^.* ", "");
        if (pointer.matches(CALLBACKS)) {
            return changed(Kind.ENDPOINT, step.body().at(pointer));
        }
        return pointer.matches(SIGNING) ? changed(Kind.SECRET, step.body().at(pointer)) : null;
    }

    /** The schema of an input may come with the endpoint, or with the payload spec of one that stays. */
    private @Nullable Identity ofInput(JsonNode endpoint) {
        var identity = new Identity(Kind.ENDPOINT, endpoint.asText());
        var step = steps.get(identity);
        if (step == null || step.action() != Action.KEEP) {
            return changed(identity);
        }
        return changed(Kind.PAYLOAD_SPEC, step.document().tree().path("payload_spec"));
    }
}
