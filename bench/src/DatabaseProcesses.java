import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the processes of the program's own database server. */
final class DatabaseProcesses {
    private static final int DEPTH_MAX = 4;

    private DatabaseProcesses() {}

    /** By the file that the server leaves in its data directory, since its parent may have ended. */
    static List<ProcessHandle> in(Path dataDirectory) throws IOException {
        try (Stream<Path> files = Files.find(dataDirectory, DEPTH_MAX, (path, _) -> path.endsWith("postmaster.pid"))) {
            return files.flatMap(DatabaseProcesses::postmaster)
                    .flatMap(server -> Stream.concat(Stream.of(server), server.descendants()))
                    .toList();
        }
    }

    private static Stream<ProcessHandle> postmaster(Path file) {
        try {
            return ProcessHandle.of(
                    Long.parseLong(Files.readAllLines(file).getFirst().strip()))
                    .stream();
        } catch (IOException | NumberFormatException e) {
            // It stopped meanwhile.
            return Stream.empty();
        }
    }
}
