package io.taskexec.examples.cloudillo;

import io.taskexec.client.Taskexec;
import java.io.IOException;

/** The program: one instance, until the process is told to end. */
public final class Main {
    private Main() {}

    /**
     * Starts an instance.
     *
     * @param arguments see {@link Settings#USAGE}
     */
    public static void main(String... arguments) throws IOException {
        // Senders that are too slow must not hold the threads of the API. Its server reads this when it is loaded.
        System.setProperty("sun.net.httpserver.maxReqTime", "120");
        Settings settings;
        Taskexec client;
        try {
            settings = Settings.parse(arguments);
            client = Taskexec.connect(variable("TE_URL"), variable("TE_TOKEN"));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + Settings.USAGE);
            System.exit(2);
            return;
        }
        var instance = Instance.start(settings, client);
        Runtime.getRuntime().addShutdownHook(new Thread(instance::close, "cloudillo-stop"));
        System.out.printf(
                "%s listens on http://127.0.0.1:%d; the owner's token is in %s%n",
                settings.identity(), instance.port(), settings.folder().resolve("owner-token"));
    }

    private static String variable(String name) {
        var value = System.getenv(name);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("The variable " + name + " is missing.");
        }
        return value;
    }
}
