package io.taskexec.store.dependency;

import io.taskexec.model.dependency.TriggerRule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A random graph of jobs, and what must become of it: how each job ends when it runs is decided beforehand, so that the
 * end of all follows from which of them were cancelled.
 */
public final class ReferenceGraph {
    private static final int MOST_JOBS = 60;
    private static final int MOST_PARENTS = 5;

    /**
     * A job.
     *
     * @param parents of lower numbers
     */
    public record Node(int number, List<Integer> parents, TriggerRule rule, boolean succeeds, boolean isCancelled) {}

    public final List<Node> nodes = new ArrayList<>();

    public ReferenceGraph(long seed) {
        var random = new Random(seed);
        var size = 2 + random.nextInt(MOST_JOBS - 1);
        for (var i = 0; i < size; i++) {
            var count = i == 0 ? 0 : random.nextInt(Math.min(i, MOST_PARENTS) + 1);
            var others = new ArrayList<Integer>();
            for (var parent = 0; parent < i; parent++) {
                others.add(parent);
            }
            Collections.shuffle(others, random);
            var rules = TriggerRule.values();
            nodes.add(new Node(
                    i,
                    List.copyOf(others.subList(0, count)),
                    rules[random.nextInt(rules.length)],
                    random.nextInt(4) > 0,
                    random.nextInt(12) == 0));
        }
    }

    /** How each job must have ended. */
    public Map<Integer, String> ends(Set<Integer> cancelled) {
        var ends = new HashMap<Integer, String>();
        for (var node : nodes) {
            ends.put(node.number(), cancelled.contains(node.number()) ? "CANCELLED" : end(node, ends));
        }
        return ends;
    }

    private static String end(Node node, Map<Integer, String> ends) {
        var runs = node.parents().isEmpty() || holds(node, ends);
        return !runs ? "SKIPPED" : node.succeeds() ? "SUCCESS" : "FAILED";
    }

    private static boolean holds(Node node, Map<Integer, String> ends) {
        Predicate<Integer> succeeded = parent -> "SUCCESS".equals(ends.get(parent));
        Predicate<Integer> skipped = parent -> "SKIPPED".equals(ends.get(parent));
        Predicate<Integer> failed = succeeded.or(skipped).negate();
        var parents = node.parents().stream();
        return switch (node.rule()) {
            case ALL_SUCCESS -> parents.allMatch(succeeded);
            case ALL_DONE, ALWAYS -> true;
            case ONE_SUCCESS -> parents.anyMatch(succeeded);
            case ONE_FAILED -> parents.anyMatch(failed);
            case NONE_FAILED -> parents.noneMatch(failed);
            case ALL_FAILED -> parents.allMatch(failed);
        };
    }

    /** Whether a job may have begun when these have ended. */
    public boolean mayBegin(int number, Set<Integer> ended) {
        var node = nodes.get(number);
        return switch (node.rule()) {
            case ONE_SUCCESS, ONE_FAILED ->
                node.parents().isEmpty() || node.parents().stream().anyMatch(ended::contains);
            case ALL_SUCCESS, ALL_DONE, ALWAYS, NONE_FAILED, ALL_FAILED -> ended.containsAll(node.parents());
        };
    }
}
