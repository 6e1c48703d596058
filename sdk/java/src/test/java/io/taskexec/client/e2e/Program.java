package io.taskexec.client.e2e;

import io.taskexec.client.testing.TaskexecDev;
import java.nio.file.Path;

/** The program under test, started once for all classes. */
final class Program {
    private static final TaskexecDev SERVER = start();

    private Program() {}

    static TaskexecDev server() {
        return SERVER;
    }

    private static TaskexecDev start() {
        var binary = System.getProperty("taskexec.binary", "");
        var server = TaskexecDev.start(Path.of(binary.isEmpty() ? System.getProperty("taskexec.jar", "") : binary));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return server;
    }
}
