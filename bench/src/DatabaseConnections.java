import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Counts the connections that processes have to the server of the run, from /proc; zero where there is no /proc. */
final class DatabaseConnections {
    private static final String ESTABLISHED = "01";
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int INODE = 9;

    private DatabaseConnections() {}

    static int of(List<ProcessHandle> processes, int port) throws IOException {
        Set<String> inodes = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.exists(Path.of(table))) {
                Files.readAllLines(Path.of(table)).stream()
                        .map(line -> line.strip().split("\\s+"))
                        .filter(fields -> fields[REMOTE].endsWith(":%04X".formatted(port)))
                        .filter(fields -> fields[STATE].equals(ESTABLISHED))
                        .forEach(fields -> inodes.add("socket:[" + fields[INODE] + "]"));
            }
        }
        return (int) processes.stream()
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .flatMap(DatabaseConnections::files)
                .filter(inodes::contains)
                .count();
    }

    private static Stream<String> files(ProcessHandle process) {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return files.map(DatabaseConnections::target).toList().stream();
        } catch (IOException e) {
            // A process that has ended has none.
            return Stream.empty();
        }
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
