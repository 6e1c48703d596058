package io.taskexec.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The process that {@code postmaster.pid} names; after a crash its number may belong to a stranger. */
record Postmaster(Path directory, ProcessHandle process) {
    // PostgreSQL's miscadmin.h says what stands where, counted from 1 there.
    private static final int PORT_LINE = 3;
    private static final int STATUS_LINE = 7;

    /** The process, or empty when there is no file or no such process any more. */
    static Optional<Postmaster> on(Path directory) throws IOException {
        var file = pidFile(directory);
        if (Files.notExists(file)) {
            return Optional.empty();
        }
        try (var lines = Files.lines(file)) {
            return lines.findFirst()
                    .filter(line -> line.strip().matches("\\d{1,18}"))
                    .flatMap(line -> ProcessHandle.of(Long.parseLong(line.strip())))
                    .filter(ProcessHandle::isAlive)
                    .map(process -> new Postmaster(directory, process));
        }
    }

    /** The port of the server that runs on the directory and accepts connections; null when there is none. */
    static @Nullable Integer port(Path directory) throws IOException {
        if (on(directory).isEmpty()) {
            return null;
        }
        try (var lines = Files.lines(pidFile(directory))) {
            var words = lines.map(String::strip).toList();
            return words.size() > STATUS_LINE
                            && words.get(STATUS_LINE).equals("ready")
                            && words.get(PORT_LINE).matches("\\d{1,5}")
                    ? Integer.valueOf(words.get(PORT_LINE))
                    : null;
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    static Path pidFile(Path directory) {
        return directory.resolve("postmaster.pid");
    }

    /** Whether it surely is the server on this directory. */
    boolean isServer() {
        return workingDirectory().filter(this::isOurs).isPresent()
                || process.info()
                        .arguments()
                        .map(Arrays::asList)
                        .filter(words -> words.contains(directory.toString()))
                        .isPresent();
    }

    /** Whether it surely is not; neither is sure when the system does not let us look. */
    boolean isStranger() {
        var otherProgram = process.info().command().filter(command -> !command.endsWith("/postgres"));
        return !isServer()
                && (otherProgram.isPresent()
                        || workingDirectory().filter(place -> !isOurs(place)).isPresent());
    }

    // A server works in its data directory. Only Linux tells, and not about all processes.
    private Optional<Path> workingDirectory() {
        try {
            return Optional.of(
                    Path.of("/proc", Long.toString(process.pid()), "cwd").toRealPath());
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private boolean isOurs(Path place) {
        return place.equals(directory);
    }
}
