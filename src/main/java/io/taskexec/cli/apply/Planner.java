package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.apply.DesiredResource.ResourceId;
import io.taskexec.cli.apply.PlanStep.Action;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerClient.Response;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.text.ProgressBar;
import io.taskexec.cli.text.YamlDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Compares the desired resources with those on the server, and changes nothing. */
final class Planner {
    private final ServerClient client;
    private final boolean replaceSecrets;
    private final List<PlanStep> steps = new ArrayList<>();
    private final List<String> impossible = new ArrayList<>();
    private final JobPlanner jobs;

    /** The endpoints after the plan has been executed. */
    private final Map<String, JobPlanner.Target> endpoints = new HashMap<>();

    Planner(ServerClient client, boolean replaceSecrets) {
        this.client = client;
        this.replaceSecrets = replaceSecrets;
        this.jobs = new JobPlanner(client, this::endpoint);
    }

    /** @param unwanted resources that were applied before, and are in no file now */
    Plan plan(List<DesiredResource> wanted, Collection<ResourceId> unwanted, ProgressBar progress)
            throws IOException, InterruptedException {
        for (var resource : wanted) {
            switch (resource.kind()) {
                case JOB -> steps.add(jobs.step(resource, impossible));
                case PAYLOAD_SPEC, SECRET, CONFIG, QUEUE, ENDPOINT, WORKFLOW_DEFINITION -> steps.add(named(resource));
            }
            progress.update(steps.size(), resource.identity().toString());
        }
        var present = new ArrayList<DesiredResource>();
        // A workflow that a file has under its other kind stays.
        var names = wanted.stream()
                .filter(one -> one.kind().isEndpoint())
                .map(DesiredResource::name)
                .collect(Collectors.toSet());
        for (var id : unwanted) {
            var fields = id.kind().isEndpoint() && names.contains(id.name()) ? null : fieldsOf(id);
            if (fields != null) {
                present.add(new DesiredResource(id.kind(), id.name(), fields, YamlDocument.nowhere()));
            }
        }
        // Dependents first. Only the server knows the dependencies of resources that are in no file any more.
        DependencyOrder.of(present).reversed().forEach(resource -> steps.add(PlanStep.remove(resource)));
        return new Plan(List.copyOf(steps), List.copyOf(impossible));
    }

    private PlanStep named(DesiredResource resource) throws IOException, InterruptedException {
        var found = client.find(path(resource.identity()));
        var step = found == null ? create(resource) : compare(resource, found);
        if (resource.kind().isEndpoint()) {
            var version = found == null ? 0 : found.body().path("version").asInt();
            endpoints.put(
                    resource.name(),
                    JobPlanner.Target.of(
                            step.action() == Action.KEEP ? version : version + 1, resource.name(), resource.fields()));
        }
        return step;
    }

    private static PlanStep create(DesiredResource resource) {
        var body = resource.fields().deepCopy();
        if (!resource.kind().isPut()) {
            body.put("name", resource.name());
        }
        return PlanStep.create(
                resource,
                body,
                resource.kind() == ResourceKind.SECRET
                        ? FieldDiff.ofSecret()
                        : FieldDiff.appearing(resource.kind().normal(resource.fields())));
    }

    private PlanStep compare(DesiredResource resource, Response found) {
        var kind = resource.kind();
        if (kind == ResourceKind.SECRET && !replaceSecrets) {
            return PlanStep.keep(resource, "its value cannot be compared; --replace-secrets writes it");
        }
        var difference = kind == ResourceKind.SECRET
                ? FieldDiff.ofSecret()
                : FieldDiff.between(kind.normal(found.body()), kind.normal(resource.fields()));
        return difference.isEmpty()
                ? PlanStep.keep(resource, "")
                : PlanStep.change(resource, path(resource.identity()), found, difference);
    }

    private JobPlanner.@Nullable Target endpoint(String name) throws IOException, InterruptedException {
        if (!endpoints.containsKey(name)) {
            var found = client.find(path(new ResourceId(ResourceKind.ENDPOINT, name)));
            if (found == null) {
                return null;
            }
            endpoints.put(
                    name, JobPlanner.Target.of(found.body().path("version").asInt(), name, found.body()));
        }
        return endpoints.get(name);
    }

    /** Returns the fields of a resource to remove; null when it is gone already. */
    private @Nullable ObjectNode fieldsOf(ResourceId id) throws IOException, InterruptedException {
        if (id.kind() == ResourceKind.JOB) {
            var job = jobs.newest(id.name());
            return job instanceof ObjectNode fields && JobPlanner.isActive(job) ? fields : null;
        }
        var found = client.find(path(id));
        return found != null && found.body() instanceof ObjectNode fields ? fields : null;
    }

    private static String path(ResourceId id) {
        return ServerPath.of(id.kind().path()).below(id.name()).toString();
    }
}
