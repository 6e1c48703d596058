package io.taskexec.cli.graph;

import java.util.List;

/**
 * A line of a drawn graph: a job, or several jobs alike.
 *
 * @param id the name of the job, or of the first of them
 * @param parents the ids of other nodes
 * @param label the text for the name
 * @param took the time that it has taken; empty before its start
 * @param isCritical whether it is on the critical path
 * @param message the reason of a failure; empty without one
 */
record GraphNode(
        String id, List<String> parents, String label, String status, String took, boolean isCritical, String message) {
    GraphNode {
        parents = List.copyOf(parents);
    }

    /** Returns the character for the status. */
    char mark() {
        return switch (status) {
            case "SUCCESS" -> '✓';
            case "FAILED", "EXPIRED" -> '✗';
            case "RUNNING" -> '●';
            case "DEFERRED" -> '◐';
            case "RETRYING" -> '↻';
            case "CANCELLED", "SKIPPED" -> '–';
            default -> '○';
        };
    }
}
