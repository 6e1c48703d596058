package io.taskexec.chaos;

import io.taskexec.chaos.Fault.Kind;
import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A place in the fleet: the process that holds it now, and what became of those before. */
final class Member implements AutoCloseable {
    private static final int STARTS = 10;

    /** A start that is refused ends in milliseconds, and the database is away for seconds. */
    private static final Duration BETWEEN_STARTS = Duration.ofSeconds(2);

    private static final Duration EXIT_BOUND = Duration.ofSeconds(40);

    private final String name;
    private final Program.Setup setup;
    private final List<Program> all = new ArrayList<>();
    private volatile Program program;

    Member(String name, Program.Setup setup) {
        this.name = name;
        this.setup = setup;
        this.program = start();
    }

    private Program start() {
        // A worker tells the database its host; by that name its attempts are found.
        var started = setup.with("HOSTNAME", name + "-" + (all.size() + 1)).start();
        all.add(started);
        return started;
    }

    /** What the present process takes for its host. */
    String host() {
        return name + "-" + all.size();
    }

    Api api() {
        return program.api();
    }

    void awaitReady() throws InterruptedException {
        program.awaitReady();
    }

    /** Sends the signal. */
    void strike(Kind kind) {
        switch (kind) {
            case KILL -> program.kill();
            case TERMINATE -> program.terminate();
            case FREEZE -> program.freeze();
        }
    }

    /** Puts a process in its place again that works, after so long. */
    void recover(Kind kind, Duration later) throws InterruptedException {
        if (kind == Kind.TERMINATE) {
            var _ = program.awaitExit(EXIT_BOUND);
        }
        Thread.sleep(later.toMillis());
        if (kind == Kind.FREEZE) {
            program.thaw();
            program.awaitReady();
        } else {
            startOver(STARTS);
        }
    }

    /** As whoever supervises processes does: one that finds no database at its start ends, and is started again. */
    private void startOver(int times) throws InterruptedException {
        program = start();
        try {
            program.awaitReady();
        } catch (AssertionError e) {
            if (program.isAlive() || times == 1) {
                throw e;
            }
            Thread.sleep(BETWEEN_STARTS);
            startOver(times - 1);
        }
    }

    /** What all its processes have printed. */
    String output() {
        return String.join("", all.stream().map(Program::output).toList());
    }

    @Override
    public void close() {
        program.close();
    }
}
