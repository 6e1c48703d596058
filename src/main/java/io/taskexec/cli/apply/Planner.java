package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.apply.Declared.Identity;
import io.taskexec.cli.apply.Step.Action;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerClient.Answer;
import io.taskexec.cli.client.ServerPath;
import io.taskexec.cli.text.Progress;
import io.taskexec.cli.text.YamlDocument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares what is wanted with what is there; changes nothing. */
final class Planner {
    private static final ObjectNode NOTHING = JsonNodeFactory.instance.objectNode();

    private final ServerClient client;
    private final boolean replaceSecrets;
    private final List<Step> steps = new ArrayList<>();
    private final List<String> impossible = new ArrayList<>();
    private final JobPlanner jobs;

    /** The versions that endpoints have when everything is done. */
    private final Map<String, Integer> versions = new HashMap<>();

    Planner(ServerClient client, boolean replaceSecrets) {
        this.client = client;
        this.replaceSecrets = replaceSecrets;
        this.jobs = new JobPlanner(client, this::versionOf);
    }

    /** @param unwanted what was applied before, and is in no file now */
    Plan plan(List<Declared> wanted, Collection<Identity> unwanted, Progress progress)
            throws RefusedException, IOException, InterruptedException {
        for (var one : wanted) {
            switch (one.kind()) {
                case JOB -> steps.add(jobs.step(one, impossible));
                case PAYLOAD_SPEC, SECRET, CONFIG, ENDPOINT -> steps.add(named(one));
            }
            progress.reach(steps.size(), one.identity().toString());
        }
        var there = new ArrayList<Declared>();
        for (var identity : unwanted) {
            var fields = fieldsOf(identity);
            if (fields != null) {
                there.add(new Declared(identity.kind(), identity.name(), fields, YamlDocument.nowhere()));
            }
        }
        // Each before what it needs, which only the server knows of what is in no file any more.
        DependencyOrder.of(there).reversed().forEach(one -> steps.add(removal(one)));
        return new Plan(List.copyOf(steps), List.copyOf(impossible));
    }

    private Step named(Declared one) throws RefusedException, IOException, InterruptedException {
        var path = ServerPath.of(one.kind().path()).below(one.name()).toString();
        var found = client.find(path);
        var after = one.kind().normal(one.fields());
        var step = found == null
                ? create(one, after)
                : one.kind() == Kind.SECRET ? secret(one, path, found) : compare(one, path, found, after);
        if (one.kind() == Kind.ENDPOINT) {
            var version = found == null ? 0 : found.body().path("version").asInt();
            versions.put(one.name(), step.action() == Action.KEEP ? version : version + 1);
        }
        return step;
    }

    private static Step create(Declared one, ObjectNode after) {
        var body = one.fields().deepCopy().put("name", one.name());
        var difference = one.kind() == Kind.SECRET ? Difference.ofSecret() : Difference.appearing(after);
        return new Step(
                Action.CREATE, one.identity(), one.kind().path(), body, NOTHING, null, difference, "", one.document());
    }

    /** Nobody can see the value that is there, so it cannot be compared. */
    private Step secret(Declared one, String path, Answer found) {
        return replaceSecrets
                ? new Step(
                        Action.CHANGE,
                        one.identity(),
                        path,
                        one.fields(),
                        found.body(),
                        found.tag(),
                        Difference.ofSecret(),
                        "",
                        one.document())
                : keep(one, "its value cannot be compared; --replace-secrets writes it");
    }

    private static Step compare(Declared one, String path, Answer found, JsonNode after) {
        var difference = Difference.between(one.kind().normal(found.body()), after);
        return difference.isEmpty()
                ? keep(one, "")
                : new Step(
                        Action.CHANGE,
                        one.identity(),
                        path,
                        one.fields(),
                        found.body(),
                        found.tag(),
                        difference,
                        "",
                        one.document());
    }

    static Step keep(Declared one, String note) {
        return new Step(Action.KEEP, one.identity(), "", NOTHING, NOTHING, null, List.of(), note, one.document());
    }

    private @Nullable Integer versionOf(String endpoint) throws RefusedException, IOException, InterruptedException {
        if (!versions.containsKey(endpoint)) {
            var found = client.find(
                    ServerPath.of(Kind.ENDPOINT.path()).below(endpoint).toString());
            if (found == null) {
                return null;
            }
            versions.put(endpoint, found.body().path("version").asInt());
        }
        return versions.get(endpoint);
    }

    /** What is there of something that is to be removed; null when it is gone already. */
    private @Nullable ObjectNode fieldsOf(Identity identity)
            throws RefusedException, IOException, InterruptedException {
        if (identity.kind() == Kind.JOB) {
            var job = jobs.newest(identity.name());
            return job instanceof ObjectNode fields && JobPlanner.isActive(job) ? fields : null;
        }
        var found = client.find(
                ServerPath.of(identity.kind().path()).below(identity.name()).toString());
        return found != null && found.body() instanceof ObjectNode fields ? fields : null;
    }

    private static Step removal(Declared one) {
        var path = one.kind() == Kind.JOB
                ? Kind.JOB.path() + "/" + one.fields().path("job_id").asText() + "/cancel"
                : ServerPath.of(one.kind().path()).below(one.name()).toString();
        return new Step(
                Action.REMOVE, one.identity(), path, NOTHING, one.fields(), null, List.of(), "", one.document());
    }
}
