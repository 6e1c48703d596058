package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.RelativeTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Waits until executions have ended, and prints how. */
final class ExecutionWait {
    private static final Set<String> ENDED =
            Set.of("SUCCESS", "FAILED", "CANCELLED", "EXPIRED", "SKIPPED", "SUPERSEDED");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(2);

    private final ServerClient client;
    private final PrintWriter out;
    private final PrintWriter err;
    private final Duration bound;
    private final long deadline;

    /** @param bound the timeout for all waits together */
    ExecutionWait(ServerClient client, CommandSpec spec, Duration bound) {
        this.client = client;
        this.out = spec.commandLine().getOut();
        this.err = spec.commandLine().getErr();
        this.bound = bound;
        this.deadline = System.nanoTime() + bound.toNanos();
    }

    /** Returns the ended execution; null after a timeout, which is printed. */
    @Nullable
    JsonNode forExecution(String id) throws IOException, InterruptedException {
        var execution = until(Nouns.EXECUTIONS.one(id).toString(), ExecutionWait::hasEnded);
        if (execution == null) {
            printTimeout("execution " + id + " has not ended");
        }
        return execution;
    }

    /** Prints how an execution has ended. */
    void print(JsonNode execution) {
        out.println(sentence(execution));
        out.flush();
    }

    /** Returns the exit code for an execution. */
    static int code(@Nullable JsonNode execution) {
        if (execution == null) {
            return ExitCode.TIMED_OUT;
        }
        return execution.path("status").asText().equals("SUCCESS") ? ExitCode.DONE : ExitCode.REFUSED;
    }

    /** Waits until a job has no waiting or running execution; returns the exit code. */
    int forJob(String id) throws IOException, InterruptedException {
        var status = until(Nouns.JOBS.one(id) + "/status", ExecutionWait::isIdle);
        if (status == null) {
            printTimeout("job " + id + " has executions left");
        }
        return status == null ? ExitCode.TIMED_OUT : ExitCode.DONE;
    }

    private static boolean isIdle(JsonNode status) {
        var active = status.at("/active_executions/total");
        return active.isNumber() && active.asLong() == 0;
    }

    private void printTimeout(String what) {
        err.println(what + " after " + RelativeTime.span(bound) + ".");
        err.flush();
    }

    /** Polls a resource until it meets a condition; null after a timeout. */
    private @Nullable JsonNode until(String path, Predicate<JsonNode> condition)
            throws IOException, InterruptedException {
        for (var pause = FIRST_PAUSE; ; pause = longer(pause)) {
            var left = Duration.ofNanos(deadline - System.nanoTime());
            try {
                var found = client.get(path);
                if (condition.test(found)) {
                    return found;
                }
            } catch (RefusedException e) {
                if (!e.isTransient() || !left.isPositive()) {
                    throw e;
                }
            } catch (IOException e) {
                // A server that restarts meanwhile has nothing to do with the execution.
                if (e.getCause() instanceof InterruptedException || !left.isPositive()) {
                    throw e;
                }
            }
            if (!left.isPositive()) {
                return null;
            }
            Thread.sleep(left.compareTo(pause) < 0 ? left : pause);
        }
    }

    private static Duration longer(Duration pause) {
        var longer = pause.multipliedBy(3).dividedBy(2);
        return longer.compareTo(MAX_PAUSE) < 0 ? longer : MAX_PAUSE;
    }

    /** Returns whether the status of an execution, or of a run, is final. */
    static boolean hasEnded(JsonNode execution) {
        return ENDED.contains(execution.path("status").asText());
    }

    private static String sentence(JsonNode execution) {
        var attempts = execution.path("attempt_count").asInt();
        var error = execution.at("/error/message").asText("");
        return "execution %s has ended: %s after %d attempt%s%s"
                .formatted(
                        execution.path("execution_id").asText(),
                        execution.path("status").asText(),
                        attempts,
                        attempts == 1 ? "" : "s",
                        error.isEmpty() ? "." : ": " + PlainLine.of(error));
    }
}
