package io.taskexec.job;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.PublicId;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.OnConflict;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a batch that depend on others of it by their references. They are created in levels: those of one level
 * depend on jobs of earlier ones alone. Not thread-safe.
 */
public final class BatchReferences {
    /** Jobs of a batch that are told their cycles: each is searched for by itself. */
    private static final int MOST_SEARCHES = 20;

    /** References of a cycle in a message. */
    private static final int MOST_NAMED = 12;

    private final List<JsonNode> jobs;
    private final Map<String, Integer> places = new HashMap<>();

    /** The places of the jobs that each one depends on. */
    private final List<Set<Integer>> parents = new ArrayList<>();

    private final @Nullable ApiException[] refusals;
    private final @Nullable UUID[] ids;

    /** @param jobs as they stand in the request, whatever they are */
    public BatchReferences(List<JsonNode> jobs) {
        this.jobs = jobs;
        this.refusals = new ApiException[jobs.size()];
        this.ids = new UUID[jobs.size()];
        for (var i = 0; i < jobs.size(); i++) {
            name(i);
        }
        for (var i = 0; i < jobs.size(); i++) {
            parents.add(findParents(i));
        }
    }

    /** Where a job is in the request. */
    public static String pointer(int place) {
        return "/jobs/" + place;
    }

    private void name(int place) {
        var ref = jobs.get(place).path(JobFields.REF);
        if (ref.isMissingNode() || ref.isNull()) {
            return;
        }
        var text = ref.asText();
        if (!ref.isTextual() || !JobFields.PARENT_NAME.matches(text) || PublicId.JOB.parse(text) != null) {
            refuseReference(place, "must be 1 to 63 letters, digits, hyphens and underscores, and not the id of a job");
        } else if (places.putIfAbsent(text, place) != null) {
            refuseReference(place, "must be the only one of its value in the batch");
        }
    }

    private void refuseReference(int place, String message) {
        refusals[place] = ApiException.at(ErrorCode.INVALID_REQUEST, pointer(place) + "/" + JobFields.REF, message);
    }

    private Set<Integer> findParents(int place) {
        var names = jobs.get(place).path(JobFields.DEPENDS_ON);
        if (names.isEmpty()) {
            return Set.of();
        }
        if (names.size() > Dependencies.MOST_PARENTS) {
            refusals[place] = DependencyFields.tooMany(pointer(place) + "/" + JobFields.DEPENDS_ON);
            return Set.of();
        }
        var found = new LinkedHashSet<Integer>();
        for (var parent : names) {
            var name = parent.textValue();
            var other = name == null ? null : places.get(name);
            if (other != null) {
                if (!found.add(other)) {
                    refusals[place] = DependencyFields.twice(name, pointer(place) + "/" + JobFields.DEPENDS_ON);
                }
            } else if (name != null && PublicId.JOB.parse(name) == null && refusals[place] == null) {
                refusals[place] = DependencyFields.refusal(
                        ErrorCode.DEPENDENCY_NOT_FOUND,
                        "'%s' is neither the id of a job nor a reference within the batch.".formatted(name),
                        pointer(place) + "/" + JobFields.DEPENDS_ON,
                        "must name jobs that exist, or references of the batch");
            }
        }
        return found;
    }

    /**
     * The places of the jobs, level by level. Those that form a cycle are in none and are refused, and so is what
     * depends on them. Of jobs with one idempotency key that would be in one level, the first one is in a level
     * before the others, so that it is the one that is created. One that replaces others has a level of its own among
     * them, so that the last one wins.
     */
    List<List<Integer>> levels() {
        var open = parents.stream().mapToInt(Set::size).toArray();
        var children = new ArrayList<List<Integer>>();
        jobs.forEach(_ -> children.add(new ArrayList<>()));
        for (var i = 0; i < jobs.size(); i++) {
            for (var parent : parents.get(i)) {
                children.get(parent).add(i);
            }
        }
        var levels = new ArrayList<List<Integer>>();
        var level = new ArrayList<Integer>();
        for (var i = 0; i < open.length; i++) {
            if (open[i] == 0) {
                level.add(i);
            }
        }
        while (!level.isEmpty()) {
            levels.add(level);
            var next = new ArrayList<Integer>();
            for (var done : level) {
                for (var child : children.get(done)) {
                    if (--open[child] == 0) {
                        next.add(child);
                    }
                }
            }
            level = next;
        }
        refuseCycles(open, children);
        return levels.stream().flatMap(this::byTurn).toList();
    }

    /** Creates the jobs of one level after the other, but for those that are refused. */
    public <T> Uni<Void> inLevels(Function<Integer, Uni<T>> creation) {
        return Multi.createFrom()
                .iterable(levels())
                .onItem()
                .transformToUniAndConcatenate(level -> create(level, creation))
                .collect()
                .asList()
                .replaceWithVoid();
    }

    private <T> Uni<Boolean> create(List<Integer> level, Function<Integer, Uni<T>> creation) {
        var created = level.stream()
                .filter(place -> refusal(place) == null)
                .map(creation)
                .toList();
        return created.isEmpty()
                ? Uni.createFrom().item(true)
                : Uni.join().all(created).andFailFast().replaceWith(true);
    }

    private Stream<List<Integer>> byTurn(List<Integer> level) {
        var turns = new ArrayList<List<Integer>>();
        var last = new HashMap<String, Turn>();
        for (var place : level) {
            var turn = turn(jobs.get(place), last);
            if (turn == turns.size()) {
                turns.add(new ArrayList<>());
            }
            turns.get(turn).add(place);
        }
        return turns.stream();
    }

    /**
     * The turn of a job among those of its key.
     *
     * @param isShared whether the job neither replaces nor is the first of its key, so that the next one may share it
     */
    private record Turn(int number, boolean isShared) {}

    private static int turn(JsonNode job, Map<String, Turn> last) {
        var key = job.path("idempotency_key").textValue();
        if (key == null) {
            return 0;
        }
        var replaces = OnConflict.REPLACE.word().equals(job.path("on_conflict").textValue());
        var turn = last.compute(
                key,
                (_, before) -> before == null
                        ? new Turn(0, false)
                        : new Turn(before.isShared() && !replaces ? before.number() : before.number() + 1, !replaces));
        return turn.number();
    }

    /** @param open how many parents of each job are in no level */
    private void refuseCycles(int[] open, List<List<Integer>> children) {
        refuseWhatFollows(open, children);
        var searches = 0;
        for (var i = 0; i < open.length; i++) {
            if (open[i] > 0 && refusals[i] == null) {
                refusals[i] = searches++ < MOST_SEARCHES ? refusedCycle(i) : cycle(i, ", or on one that does");
            }
        }
    }

    /** Refuses what only depends on cycles: one after the other all that nothing else that is left depends on. */
    private void refuseWhatFollows(int[] open, List<List<Integer>> children) {
        var followers = new int[open.length];
        var ends = new ArrayDeque<Integer>();
        for (var i = 0; i < open.length; i++) {
            if (open[i] > 0) {
                followers[i] = (int) children.get(i).stream()
                        .filter(child -> open[child] > 0)
                        .count();
                if (followers[i] == 0) {
                    ends.add(i);
                }
            }
        }
        while (!ends.isEmpty()) {
            var end = ends.remove();
            if (refusals[end] == null) {
                refusals[end] = refusedParent(end);
            }
            for (var parent : parents.get(end)) {
                if (open[parent] > 0 && --followers[parent] == 0) {
                    ends.add(parent);
                }
            }
        }
    }

    private ApiException refusedCycle(int place) {
        var path = cycle(place);
        return path.isEmpty() ? refusedParent(place) : cycle(place, ": " + String.join(" -> ", shortened(path)));
    }

    private ApiException cycle(int place, String how) {
        return DependencyFields.refusal(
                ErrorCode.WORKFLOW_CYCLE,
                "The job depends on itself" + how + ".",
                pointer(place) + "/" + JobFields.DEPENDS_ON,
                "must not lead back to the job");
    }

    private static List<String> shortened(List<String> path) {
        if (path.size() <= MOST_NAMED) {
            return path;
        }
        var half = MOST_NAMED / 2;
        return Stream.of(path.subList(0, half), List.of("..."), path.subList(path.size() - half, path.size()))
                .flatMap(List::stream)
                .toList();
    }

    /** The references on a shortest way from a job back to itself, empty when there is none. */
    private List<String> cycle(int start) {
        var from = new LinkedHashMap<Integer, Integer>();
        var next = new ArrayDeque<Integer>(List.of(start));
        while (!next.isEmpty()) {
            var place = next.remove();
            for (var parent : parents.get(place)) {
                if (parent == start) {
                    return path(from, start, place);
                }
                if (from.putIfAbsent(parent, place) == null) {
                    next.add(parent);
                }
            }
        }
        return List.of();
    }

    private List<String> path(Map<Integer, Integer> from, int start, int last) {
        var path = new ArrayList<String>();
        path.add(ref(start));
        for (var place = last; place != start; place = requireNonNull(from.get(place))) {
            path.add(1, ref(place));
        }
        path.add(ref(start));
        return path;
    }

    private String ref(int place) {
        return jobs.get(place).path(JobFields.REF).asText();
    }

    private ApiException refusedParent(int place) {
        return DependencyFields.refusal(
                ErrorCode.DEPENDENCY_REFUSED,
                "A job of the batch that it depends on was refused.",
                pointer(place) + "/" + JobFields.DEPENDS_ON,
                "must name jobs that are not refused themselves");
    }

    /** Refuses a job. */
    public void refuse(int place, ApiException reason) {
        refusals[place] = reason;
    }

    /** Notes the id of a job that was created, or had been before. */
    public void created(int place, UUID id) {
        ids[place] = id;
    }

    /** Why a job cannot be created; null when it can, once those of earlier levels have been tried. */
    public @Nullable ApiException refusal(int place) {
        if (refusals[place] == null) {
            for (var parent : parents.get(place)) {
                if (ids[parent] == null) {
                    return refusedParent(place);
                }
            }
        }
        return refusals[place];
    }

    /** A job with ids in place of references, as a single request would have it. */
    public JsonNode resolved(int place) {
        if (!(jobs.get(place) instanceof ObjectNode job) || (parents.get(place).isEmpty() && !job.has(JobFields.REF))) {
            return jobs.get(place);
        }
        var copy = job.deepCopy();
        copy.remove(JobFields.REF);
        if (!parents.get(place).isEmpty()) {
            copy.set(JobFields.DEPENDS_ON, resolvedParents(copy.get(JobFields.DEPENDS_ON)));
        }
        return copy;
    }

    /** References of an array become the names of the parents. */
    private ObjectNode resolvedParents(JsonNode given) {
        var named = JsonNodeFactory.instance.objectNode();
        if (given instanceof ObjectNode object) {
            object.properties().forEach(entry -> named.set(entry.getKey(), resolvedParent(entry.getValue())));
        } else {
            given.forEach(parent -> named.set(parent.asText(), resolvedParent(parent)));
        }
        return named;
    }

    private JsonNode resolvedParent(JsonNode parent) {
        var place = parent.isTextual() ? places.get(parent.textValue()) : null;
        var id = place == null ? null : ids[place];
        return id == null ? parent : JsonNodeFactory.instance.textNode(PublicId.JOB.show(id));
    }
}
