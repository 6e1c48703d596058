package io.taskexec.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program that ran to its end: what it said, and whether it was content. */
record Command(boolean succeeded, String output) {

    static Command run(Path workingDirectory, List<String> words) {
        var builder = new ProcessBuilder(new ArrayList<>(words))
                .directory(workingDirectory.toFile())
                .redirectErrorStream(true);
        // Messages are read by us, and PostgreSQL translates them.
        var _ = builder.environment().put("LC_ALL", "C");
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Command(process.onExit().join().exitValue() == 0, output.strip());
        } catch (IOException e) {
            return new Command(false, String.valueOf(e.getMessage()));
        }
    }
}
