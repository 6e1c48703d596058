package io.taskexec.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** One PostgreSQL data directory and the programs that work on it. */
record Cluster(Path programs, UnprivilegedUser disguise, Path directory) {
    // What a job keeps must survive a power cut here as in production, so nothing is traded for speed.
    private static final List<String> SETTINGS = List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=on",
            "synchronous_commit=on",
            "full_page_writes=on",
            "shared_buffers=128MB",
            "max_connections=100",
            "jit=off",
            "log_checkpoints=off",
            "log_timezone=UTC",
            "timezone=UTC");

    // PostgreSQL's own locale sorts in the same way on every machine.
    private static final List<String> CREATION = List.of(
            "--username=postgres",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-instructions");

    /** Creates the directory when there is none. It appears whole: an interrupted creation is begun anew. */
    void createIfMissing(Path passwordFile) throws IOException {
        if (Files.exists(directory)) {
            disguise.own(directory);
            return;
        }
        var draft = new Cluster(programs, disguise, directory.resolveSibling(directory.getFileName() + ".new"));
        Directories.delete(draft.directory);
        var options = new ArrayList<>(CREATION);
        options.add("--pwfile=" + passwordFile);
        var created = draft.run("initdb", options);
        if (!created.succeeded()) {
            throw new EmbeddedDatabaseException("PostgreSQL's data cannot be created: " + created.output());
        }
        Files.move(draft.directory, directory, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Clears away what a killed process left behind, so that {@link #start} finds the directory free. */
    void stopLeftover() throws IOException {
        var found = Postmaster.on(directory);
        if (found.filter(Postmaster::isServer).isPresent()) {
            // Not a constant, which a native image would keep as the build's logger.
            System.getLogger(Cluster.class.getName())
                    .log(System.Logger.Level.INFO, "Stopping the PostgreSQL server that a killed process left behind.");
            stop();
        } else if (found.filter(Postmaster::isStranger).isPresent()) {
            // The number was given to another program since, and PostgreSQL would take that one for its own kind. In
            // all other cases the file stays: with it PostgreSQL checks that no server, and no child of one, is alive.
            Files.deleteIfExists(Postmaster.pidFile(directory));
        }
    }

    /** Starts the server and waits until it answers; pg_ctl also takes it out of the terminal's reach of Ctrl-C. */
    boolean start(int port) throws IOException {
        if (Files.exists(log())) {
            Files.move(log(), log().resolveSibling("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        var options = SETTINGS.stream().map(setting -> "-c " + setting).collect(Collectors.joining(" "));
        return run(
                        "pg_ctl",
                        List.of("start", "-w", "-t", "60", "-l", log().toString(), "-o", "-p " + port + " " + options))
                .succeeded();
    }

    /** Stops the server: its clients are cut off, what they committed is kept. */
    void stop() throws IOException {
        if (Postmaster.on(directory).filter(Postmaster::isServer).isEmpty()) {
            return;
        }
        if (run("pg_ctl", List.of("stop", "-w", "-t", "30", "-m", "fast")).succeeded()) {
            return;
        }
        var stopped = run("pg_ctl", List.of("stop", "-w", "-t", "30", "-m", "immediate"));
        if (!stopped.succeeded()) {
            throw new EmbeddedDatabaseException("PostgreSQL does not stop: " + stopped.output());
        }
    }

    Path log() {
        return directory.resolve("server.log");
    }

    private Command run(String program, List<String> arguments) {
        var words = new ArrayList<String>();
        words.add(programs.resolve("bin").resolve(program).toString());
        words.add("-D");
        words.add(directory.toString());
        words.addAll(arguments);
        return Command.run(programs, disguise.apply(words));
    }
}
