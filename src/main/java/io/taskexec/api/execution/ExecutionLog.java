package io.taskexec.api.execution;

import io.taskexec.api.web.LogPlace;
import io.taskexec.model.Page;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.Attempt;
import io.taskexec.model.job.Execution;
import io.taskexec.store.execution.ExecutionStore.LogLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Builds the log of an execution: stored lines, merged with lines that are derived from the execution and its attempts.
 * So a successful attempt stores no line.
 */
final class ExecutionLog {
    /** Failures that come before there is anything to be sent. */
    private static final Set<String> UNRESOLVED =
            Set.of("TEMPLATE_RESOLUTION_FAILED", "INVALID_CONFIGURATION", "UNREADABLE");

    /** The failure that comes when there is something to be sent, and it may not go there. */
    private static final String REFUSED = "EGRESS_BLOCKED";

    /** Failures that do not tell how far the attempt came, or that belong to no attempt. */
    private static final Set<String> UNKNOWN = Set.of("INTERNAL_ERROR", "WORKER_LOST");

    private final Execution execution;
    private final List<LogLine> lines = new ArrayList<>();

    private ExecutionLog(Execution execution) {
        this.execution = execution;
    }

    /**
     * At most {@code limit} lines from a place on, first to last.
     *
     * @param attempts from the attempt of the place on, with {@code written}: as many as a page can have, or all
     */
    static Page<LogLine, LogPlace> page(
            Execution execution, List<Attempt> attempts, List<LogLine> written, LogPlace from, int limit) {
        var lines = of(execution, attempts, written);
        var start = 0;
        while (start < from.shown() && start < lines.size() && lines.get(start).attempt() == from.attempt()) {
            start++;
        }
        var end = Math.min(start + limit, lines.size());
        return new Page<>(lines.subList(start, end), end < lines.size() ? placeAfter(lines.subList(0, end)) : null);
    }

    private static LogPlace placeAfter(List<LogLine> lines) {
        var attempt = lines.getLast().attempt();
        return new LogPlace(attempt, (int)
                lines.stream().filter(line -> line.attempt() == attempt).count());
    }

    /** The lines, first to last; one attempt follows the other. */
    static List<LogLine> of(Execution execution, List<Attempt> attempts, List<LogLine> written) {
        var log = new ExecutionLog(execution);
        attempts.forEach(log::add);
        log.lines.addAll(written);
        // Stable, so that what was written follows what the same attempt amounts to.
        log.lines.sort(Comparator.comparingInt(LogLine::attempt).thenComparing(LogLine::at));
        return log.lines;
    }

    private void add(Attempt attempt) {
        var worker = attempt.workerId();
        add(attempt, attempt.startedAt(), worker == null ? "claimed" : "claimed by " + PublicId.WORKER.show(worker));
        var completedAt = attempt.completedAt();
        if (completedAt == null) {
            return;
        }
        switch (attempt.status()) {
            case SUCCESS, FAILED -> addDispatch(attempt, completedAt);
            // How far these came is not known.
            case RUNNING, DEFERRED, LOST, INTERRUPTED, CANCELLED -> {}
        }
    }

    private void addDispatch(Attempt attempt, Instant completedAt) {
        var failure =
                attempt.error() == null ? "" : attempt.error().path("type").asText();
        if (UNKNOWN.contains(failure)) {
            return;
        }
        if (UNRESOLVED.contains(failure)) {
            add(attempt, completedAt, "not resolved, so nothing was sent: " + failure);
            return;
        }
        add(attempt, attempt.startedAt(), resolved());
        add(
                attempt,
                completedAt,
                failure.equals(REFUSED) ? "refused before anything was sent: " + failure : sent(attempt, failure));
    }

    private String resolved() {
        var config = execution.configVersion() == null
                ? ""
                : " with version " + execution.configVersion() + " of its config";
        return "resolved by version %d of endpoint '%s'%s"
                .formatted(execution.endpointVersion(), execution.endpoint(), config);
    }

    private String sent(Attempt attempt, String failure) {
        var duration = attempt.duration() == null ? 0 : attempt.duration().toMillis();
        return "dispatched by %s: %s after %d ms"
                .formatted(execution.endpointType(), answer(attempt, failure), duration);
    }

    private static String answer(Attempt attempt, String failure) {
        var record = attempt.error() == null ? attempt.output() : attempt.error();
        if (record != null && record.hasNonNull("status_code")) {
            return "status " + record.path("status_code").asInt();
        }
        if (record != null && record.has("json")) {
            return "completed by its receiver";
        }
        return failure.isEmpty() ? "acknowledged" : failure;
    }

    private void add(Attempt attempt, Instant at, String message) {
        lines.add(new LogLine(attempt.number(), "INFO", message, at));
    }
}
