package io.taskexec.server;

import io.taskexec.config.DatabaseUrl;
import io.taskexec.config.StartRefusedException;
import io.taskexec.store.sql.DatabaseProbe;
import io.taskexec.store.sql.DatabaseProbe.Found;
import java.time.Duration;
import java.util.function.Consumer;

/** Waits at the start until the database can be used, as one that is just being started or moved cannot. */
final class DatabaseWait {
    private static final Duration LONGEST_TRY = Duration.ofSeconds(10);
    private static final long FIRST_PAUSE_MS = 250;
    private static final long LONGEST_PAUSE_MS = 5_000;

    private DatabaseWait() {}

    /**
     * Tries until it works. Throws {@link StartRefusedException} when {@code patience} is over, and at once for what
     * time does not change, such as a wrong password.
     *
     * @param patience zero for one try
     * @param say hears once that there is something to wait for, and of a fault of the database's version
     */
    static Found await(DatabaseUrl database, Duration patience, Consumer<String> say) {
        var begin = System.nanoTime();
        for (var pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
            var found = DatabaseProbe.look(database.jdbc(), database.user(), database.password(), LONGEST_TRY);
            var leftMs = patience.minusNanos(System.nanoTime() - begin).toMillis();
            if (found.fault() == null) {
                if (found.warning() != null) {
                    say.accept(found.warning());
                }
                return found;
            }
            if (!found.mayPass() || leftMs <= 0) {
                throw new StartRefusedException(
                        "The database at %s cannot be used: %s".formatted(database.target(), found.fault()));
            }
            if (pauseMs == FIRST_PAUSE_MS) {
                say.accept("Waiting for the database at %s, for at most %d s: %s"
                        .formatted(database.target(), patience.toSeconds(), found.fault()));
            }
            sleep(Math.min(pauseMs, leftMs));
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new StartRefusedException("The start was interrupted.");
        }
    }
}
