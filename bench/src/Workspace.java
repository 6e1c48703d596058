import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The directory of one run. Below target, since a temporary directory may be in memory, where the database's
 * synchronous writes would cost nothing.
 *
 * @param stamp makes names differ from those of other runs
 */
record Workspace(Path path, String stamp) {
    static Workspace create(Path root) throws IOException {
        String stamp = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        return new Workspace(
                Files.createDirectories(root.resolve("target/bench").resolve(stamp)), stamp);
    }

    Path directory(String name) {
        return path.resolve(name);
    }

    /** Removes everything; what cannot be removed is not worth losing the figures for. */
    void delete() {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("Could not remove " + path + ": " + e.getMessage());
        }
    }
}
