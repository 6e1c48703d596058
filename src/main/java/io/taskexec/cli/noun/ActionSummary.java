package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.PauseText;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RelativeTime;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * Summarizes the answer to an action in one sentence.
 *
 * @param about the kind of resource in the answer
 * @param awaited the work that {@code --wait} waits for
 */
record ActionSummary(Noun about, Sentence sentence, Awaited awaited) {
    /** Formats the sentence. */
    @FunctionalInterface
    interface Sentence {
        String of(JsonNode resource, Instant now);
    }

    /** The work that a command can wait for. */
    enum Awaited {
        NOTHING,
        /** The execution in the answer. */
        EXECUTION,
        /** All executions of the job. */
        JOB
    }

    static final ActionSummary PAUSED = new ActionSummary(Nouns.JOBS, ActionSummary::paused, Awaited.NOTHING);

    static final ActionSummary RESUMED = new ActionSummary(Nouns.JOBS, ActionSummary::resumed, Awaited.NOTHING);

    static final ActionSummary PAUSED_QUEUE =
            new ActionSummary(QueueCommands.QUEUES, ActionSummary::pausedQueue, Awaited.NOTHING);

    static final ActionSummary RESUMED_QUEUE = new ActionSummary(
            QueueCommands.QUEUES,
            (queue, _) -> "queue " + queue.path("name").asText() + " is resumed.",
            Awaited.NOTHING);

    static final ActionSummary CANCELLED_JOB = new ActionSummary(
            Nouns.JOBS, (job, _) -> "job " + job.path("job_id").asText() + " is cancelled.", Awaited.JOB);

    static final ActionSummary CANCELLED_EXECUTION = new ActionSummary(
            Nouns.EXECUTIONS, (execution, _) -> execution(execution) + " is cancelled.", Awaited.NOTHING);

    static final ActionSummary TRIGGERED = new ActionSummary(
            Nouns.EXECUTIONS, (execution, _) -> execution(execution) + " is created.", Awaited.EXECUTION);

    private static String execution(JsonNode execution) {
        return "execution " + execution.path("execution_id").asText();
    }

    private static String paused(JsonNode job, Instant now) {
        return "job " + job.path("job_id").asText() + " is " + PauseText.text(job, now)
                + because(job.at("/pause/reason").asText(""));
    }

    private static String pausedQueue(JsonNode queue, Instant now) {
        return "queue " + queue.path("name").asText() + " is " + PauseText.text(queue, now)
                + because(queue.path("pause_reason").asText(""));
    }

    private static String because(String reason) {
        return reason.isEmpty() ? "." : ": " + PlainLine.of(reason);
    }

    private static String resumed(JsonNode job, Instant now) {
        var next = job.path("next_run_at").asText("");
        return "job " + job.path("job_id").asText() + " is resumed"
                + (next.isEmpty()
                        ? "."
                        : "; it runs "
                                + RelativeTime.of(OffsetDateTime.parse(next).toInstant(), now) + " (" + next + ").");
    }
}
