package io.taskexec.command;

import io.taskexec.config.StartRefusedException;
import io.taskexec.embedded.DataDirectory;
import io.taskexec.embedded.DataDirectoryInUseException;
import io.taskexec.embedded.EmbeddedDatabase;
import java.nio.file.Path;
import java.util.function.Function;

/** The database of {@code taskexec dev}, whether it runs or not. */
final class DevDatabase {
    private DevDatabase() {}

    /** Works with its URL; one that does not run is started for that long. */
    static <T> T with(Path directory, Function<String, T> work) {
        try (var held = DataDirectory.open(directory);
                var database = EmbeddedDatabase.start(held.path())) {
            return work.apply(database.url());
        } catch (DataDirectoryInUseException _) {
            var url = EmbeddedDatabase.running(directory);
            if (url == null) {
                throw new StartRefusedException(
                        "The database in " + directory + " is being started or stopped: try again.");
            }
            return work.apply(url);
        }
    }
}
