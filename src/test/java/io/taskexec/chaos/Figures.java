package io.taskexec.chaos;

import io.taskexec.testing.ServerDb;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Collectors;

/** The figures of a run. */
record Figures(
        long seed,
        Duration length,
        Duration lease,
        ServerDb database,
        Mix mix,
        Strikes strikes,
        Verdict verdict,
        long doubled) {

    void print() {
        var out = System.out;
        out.printf("chaos: seed %d, %d s, leases of %d s%n", seed, length.toSeconds(), lease.toSeconds());
        line(out, "jobs accepted", mix.accepted().size() + ", lost 0");
        line(out, "answers", mix.answers() + " (0: none)");
        line(out, "ticks fired", database.number("SELECT count(*) FROM ticks WHERE outcome = 'FIRED'") + ", gaps 0");
        line(out, "executions", database.number("SELECT count(*) FROM executions"));
        line(
                out,
                "attempts",
                "SUCCESS %d, FAILED %d, LOST %d, INTERRUPTED %d"
                        .formatted(
                                verdict.attempts("SUCCESS"),
                                verdict.attempts("FAILED"),
                                verdict.attempts("LOST"),
                                verdict.attempts("INTERRUPTED")));
        line(out, "succeeded twice", doubled + " executions, whose workers were struck");
        line(
                out,
                "faults",
                strikes.counts().entrySet().stream()
                        .map(fault -> fault.getKey() + " " + fault.getValue())
                        .sorted()
                        .collect(Collectors.joining(", ")));
        var recoveries =
                strikes.recoveries().stream().sorted(Comparator.naturalOrder()).toList();
        line(
                out,
                "time to recover",
                "p50 %.1f s, max %.1f s"
                        .formatted(seconds(recoveries.get(recoveries.size() / 2)), seconds(recoveries.getLast())));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    private static void line(PrintStream out, String name, Object value) {
        out.printf("  %-16s %s%n", name, value);
    }
}
