package io.taskexec.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Another JVM that holds a data directory and its database, in the way that {@code taskexec dev} does. */
final class Program {
    private final Process process;

    private Program(Process process) {
        this.process = process;
    }

    /** Starts it and returns when its database answers. */
    static Program start(Path dataDir) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process = new ProcessBuilder(List.of(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        dataDir.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var line = process.inputReader().readLine();
        if (!"ready".equals(line)) {
            throw new IllegalStateException("The program did not start: " + line);
        }
        return new Program(process);
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL: nothing of it runs any more. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** SIGTERM: its shutdown hook runs. */
    void terminate() {
        process.destroy();
        process.onExit().join();
    }

    @SuppressWarnings("SystemOut") // the parent waits for this line
    public static void main(String[] args) throws Exception {
        var dataDir = Path.of(args[0]);
        var directory = DataDirectory.open(dataDir);
        var database = EmbeddedDatabase.start(dataDir);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(directory, database)));
        System.out.println("ready");
        // Ends with the parent, whatever becomes of that.
        while (System.in.read() >= 0) {}
    }

    // The last work of the program still finds its database.
    private static void drain(DataDirectory directory, EmbeddedDatabase database) {
        Sql.execute(database, "CREATE TABLE drained ()");
        database.close();
        directory.close();
    }
}
