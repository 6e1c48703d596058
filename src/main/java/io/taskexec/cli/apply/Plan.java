package io.taskexec.cli.apply;

import java.util.EnumMap;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Everything that is to be done, in order.
 *
 * @param impossible what cannot be done, as sentences; when there is any of it, nothing is done
 */
record Plan(List<Step> steps, List<String> impossible) {
    boolean changesSomething() {
        return steps.stream().anyMatch(step -> step.action() != Step.Action.KEEP);
    }

    /** How many there are of each action, as a sentence. */
    String summary() {
        return steps.isEmpty() ? "There is nothing to do." : counts() + ".";
    }

    /** How many there are of each action, in words. */
    String counts() {
        var counts = new EnumMap<Step.Action, Integer>(Step.Action.class);
        steps.forEach(step -> counts.merge(step.action(), 1, Integer::sum));
        return counts.entrySet().stream()
                .map(e -> e.getValue() + " " + e.getKey().done())
                .collect(Collectors.joining(", "));
    }
}
