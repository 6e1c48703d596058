package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Program;

/** Checks the invariants that hold after any failure of processes. */
final class Check {
    private Check() {}

    /** {@code taskexec check} finds nothing in the database of {@code setup}, not even something to warn of. */
    static void findsNothing(Program.Setup setup) throws InterruptedException {
        var check = setup.arguments("check").run();

        assertThat(check.awaitExit()).as(check.output()).isZero();
        assertThat(check.out()).contains("tick_gap").doesNotContain("VIOLATED", "warning");
    }
}
