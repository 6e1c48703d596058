package io.taskexec.cli.apply;

import java.util.EnumMap;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All steps, in order.
 *
 * @param impossible sentences about changes that the API does not allow; if there are any, no step is performed
 */
record Plan(List<PlanStep> steps, List<String> impossible) {
    boolean changesSomething() {
        return steps.stream().anyMatch(step -> step.action() != PlanStep.Action.KEEP);
    }

    /** Returns the number of steps by action, as a sentence. */
    String summary() {
        return steps.isEmpty() ? "There is nothing to do." : counts() + ".";
    }

    /** Returns the number of steps by action. */
    String counts() {
        var counts = new EnumMap<PlanStep.Action, Integer>(PlanStep.Action.class);
        steps.forEach(step -> counts.merge(step.action(), 1, Integer::sum));
        return counts.entrySet().stream()
                .map(e -> e.getValue() + " " + e.getKey().done())
                .collect(Collectors.joining(", "));
    }
}
