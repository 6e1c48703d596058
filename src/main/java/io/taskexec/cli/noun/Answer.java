package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.schedule.Pauses;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RelativeTime;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * How the answer to an action is told, each in one line.
 *
 * @param about what the answer shows
 * @param end what can be waited for
 */
record Answer(Noun about, Sentence sentence, End end) {
    /** Tells the answer. */
    @FunctionalInterface
    interface Sentence {
        String of(JsonNode resource, Instant now);
    }

    /** What can be waited for. */
    enum End {
        /** There is nothing: it is done when the answer comes. */
        NONE,
        /** The end of the execution that the answer shows. */
        EXECUTION,
        /** The end of all executions of the job. */
        JOB
    }

    static final Answer PAUSED = new Answer(Nouns.JOBS, Answer::paused, End.NONE);

    static final Answer RESUMED = new Answer(Nouns.JOBS, Answer::resumed, End.NONE);

    static final Answer CANCELLED_JOB =
            new Answer(Nouns.JOBS, (job, _) -> "job " + job.path("job_id").asText() + " is cancelled.", End.JOB);

    static final Answer CANCELLED_EXECUTION =
            new Answer(Nouns.EXECUTIONS, (execution, _) -> execution(execution) + " is cancelled.", End.NONE);

    static final Answer TRIGGERED =
            new Answer(Nouns.EXECUTIONS, (execution, _) -> execution(execution) + " is created.", End.EXECUTION);

    private static String execution(JsonNode execution) {
        return "execution " + execution.path("execution_id").asText();
    }

    private static String paused(JsonNode job, Instant now) {
        var reason = job.at("/pause/reason").asText("");
        return "job " + job.path("job_id").asText() + " is " + Pauses.text(job, now)
                + (reason.isEmpty() ? "." : ": " + PlainLine.of(reason));
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
