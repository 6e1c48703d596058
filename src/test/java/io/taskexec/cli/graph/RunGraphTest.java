package io.taskexec.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.Terminal;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunGraphTest {
    private static final Instant NOW = Instant.parse("2026-03-15T18:00:00Z");

    private final ObjectNode run = JsonNodeFactory.instance.objectNode();
    private final ObjectNode jobs = run.putObject("jobs");

    @CanIgnoreReturnValue
    private ObjectNode job(String name, String status, String... parents) {
        var job = jobs.putObject(name).put("status", status);
        List.of(parents).forEach(job.putArray("depends_on")::add);
        return job;
    }

    private void drawn(String expected) {
        assertThat(String.join("\n", RunGraph.lines(run, NOW, Terminal.UNBOUNDED, AnsiStyle.PLAIN)) + "\n")
                .isEqualTo(expected);
    }

    @Test
    void aChainIsOneLane() {
        job("load", "WAITING", "clean");
        job("clean", "RUNNING", "fetch").put("started_at", "2026-03-15T17:59:30Z");
        job("fetch", "SUCCESS").put("duration_ms", 1200);
        run.putArray("critical_path").add("fetch").add("clean");

        drawn("""
                ✓ fetch *  SUCCESS  1200ms
                ● clean *  RUNNING  30s
                ○ load  WAITING
                """);
    }

    @Test
    void aDiamondOpensAndClosesALane() {
        job("a", "SUCCESS");
        job("b", "SUCCESS", "a");
        job("c", "RETRYING", "a");
        job("d", "WAITING", "b", "c");

        drawn("""
                ✓ a  SUCCESS
                ├─╮
                │ ✓ b  SUCCESS
                ↻ │ c  RETRYING
                ├─╯
                ○ d  WAITING
                """);
    }

    @Test
    void twoRootsMeetInTheirChild() {
        job("a", "SUCCESS");
        job("b", "QUEUED");
        job("c", "WAITING", "a", "b");

        drawn("""
                ✓ a  SUCCESS
                │ ○ b  QUEUED
                ├─╯
                ○ c  WAITING
                """);
    }

    @Test
    void aRootBelowTheEndOfAnotherGraphIsSetApart() {
        job("a", "SUCCESS");
        job("b", "SUCCESS", "a");
        job("c", "CANCELLED");

        drawn("""
                ✓ a  SUCCESS
                ✓ b  SUCCESS

                – c  CANCELLED
                """);
    }

    @Test
    void aShortcutGoesAroundTheJobsBetween() {
        job("a", "SUCCESS");
        job("b", "SUCCESS", "a");
        job("c", "SUCCESS", "a", "b");

        drawn("""
                ✓ a  SUCCESS
                ├─╮
                │ ✓ b  SUCCESS
                ├─╯
                ✓ c  SUCCESS
                """);
    }

    @Test
    void aFailedJobSaysWhyInOneLine() {
        job("a", "FAILED").put("duration_ms", 61_000).putObject("error").put("message", "no\u001b[2J\nanswer");
        job("b", "SKIPPED", "a");

        drawn("""
                ✗ a  FAILED  1m1s  no\\u001b[2J answer
                – b  SKIPPED
                """);
    }

    @Test
    void aNameCannotSteerTheTerminal() {
        job("a\u001b[31m", "SUCCESS");

        drawn("✓ a\\u001b[31m  SUCCESS\n");
    }

    @Test
    void manyJobsAlikeShareALine() {
        job("start", "SUCCESS");
        IntStream.range(0, 500)
                .forEach(i ->
                        job("part-" + i, i == 7 ? "FAILED" : "SUCCESS", "start").put("duration_ms", i));
        job("end", "SKIPPED", IntStream.range(0, 500).mapToObj(i -> "part-" + i).toArray(String[]::new));

        drawn("""
                ✓ start  SUCCESS
                ├─╮
                │ ✓ part-0 … part-499 (499 jobs)  SUCCESS  up to 499ms
                ✗ │ part-7  FAILED  7ms
                ├─╯
                – end  SKIPPED
                """);
        assertThat(RunGraph.counts(run)).isEqualTo("500 SUCCESS, 1 FAILED, 1 SKIPPED");
    }

    @Test
    void manyChainsNeedFewLanes() {
        job("start", "SUCCESS");
        for (var i = 0; i < 100; i++) {
            job("fetch-" + i, "SUCCESS", "start");
            job("store-" + i, "SUCCESS", "fetch-" + i);
        }
        job(
                "end",
                "WAITING",
                IntStream.range(0, 100).mapToObj(i -> "store-" + i).toArray(String[]::new));

        var lines = RunGraph.lines(run, NOW, Terminal.UNBOUNDED, AnsiStyle.PLAIN);

        assertThat(lines)
                .startsWith(
                        "✓ start  SUCCESS",
                        "├─╮",
                        "│ ✓ fetch-0  SUCCESS",
                        "│ ✓ store-0  SUCCESS",
                        "├─│─╮",
                        "│ │ ✓ fetch-1  SUCCESS",
                        "│ │ ✓ store-1  SUCCESS",
                        "│ ├─╯")
                .endsWith("✓ │ fetch-99  SUCCESS", "✓ │ store-99  SUCCESS", "├─╯", "○ end  WAITING");
    }

    @Test
    void everyLineFitsAndSaysWithColoursWhatItSaysWithout() {
        job("a", "FAILED").putObject("error").put("message", "x".repeat(100));
        run.putArray("critical_path").add("a");

        assertThat(RunGraph.lines(run, NOW, 24, AnsiStyle.PLAIN)).containsExactly("✗ a *  FAILED  xxxxxxxx…");
        assertThat(RunGraph.lines(run, NOW, 9, AnsiStyle.PLAIN)).containsExactly("✗ a *");
        assertThat(RunGraph.lines(run, NOW, 24, AnsiStyle.COLORED))
                .singleElement()
                .asString()
                .contains("\u001b[1ma", "\u001b[31mFAILED");
    }

    @Test
    void evenACircleHasAnEnd() {
        job("a", "WAITING", "b");
        job("b", "WAITING", "a", "gone");

        assertThat(RunGraph.lines(run, NOW, Terminal.UNBOUNDED, AnsiStyle.PLAIN))
                .contains("○ a  WAITING")
                .anyMatch(line -> line.endsWith("b  WAITING"));
    }
}
