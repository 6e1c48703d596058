package io.taskexec;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Entry point. */
@QuarkusMain
public final class Main {
    private Main() {}

    /** Runs the program. */
    public static void main(String[] args) {
        Quarkus.run(args);
    }
}
