package io.taskexec.chaos;

import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Says when everything goes on as if nothing had happened, and who the workers were. */
final class Recovery {
    private static final Duration BOUND = Duration.ofSeconds(90);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private final ServerDb database;
    private final Mix mix;
    private final Map<String, String> hosts = new ConcurrentHashMap<>();

    Recovery(ServerDb database, Mix mix) {
        this.database = database;
        this.mix = mix;
    }

    /**
     * Waits until nothing claimed before a moment is with those hosts any more, nothing that is due waits for more than
     * a second, no schedule is behind by as much, and jobs created after the moment are accepted.
     */
    Duration awaitSince(Instant moment, Set<String> struck) throws InterruptedException {
        var missing = missing(moment, struck);
        while (missing.isPresent()) {
            if (Duration.between(moment, Instant.now()).compareTo(BOUND) > 0) {
                throw new AssertionError("Not within " + BOUND + " after " + struck + ": " + missing.get());
            }
            Thread.sleep(BETWEEN_LOOKS);
            missing = missing(moment, struck);
        }
        return Duration.between(moment, Instant.now());
    }

    private Optional<String> missing(Instant moment, Set<String> struck) {
        if (!mix.hasAcceptedSince(moment)) {
            return Optional.of("no job was accepted");
        }
        try {
            noteWorkers();
            return database.texts(missingSql(moment, ids(struck))).stream().findFirst();
        } catch (IllegalStateException e) {
            return Optional.of(String.valueOf(e.getCause()));
        }
    }

    private static String missingSql(Instant moment, Collection<String> workers) {
        return """
                SELECT 'claimed by a worker that was struck: ' || execution_id FROM exec_live
                WHERE lease_token IS NOT NULL AND started_at < '%1$s' AND worker_id::text IN ('%2$s')
                UNION ALL
                SELECT 'due and waiting: ' || execution_id FROM exec_live
                WHERE visible_at < now() - interval '1 second'
                UNION ALL
                SELECT 'behind: ' || job_id FROM schedules WHERE next_run_at < now() - interval '1 second'
                """.formatted(moment, String.join("','", workers));
    }

    /** Remembers which worker was on which host: a dead one's row is deleted. */
    void noteWorkers() {
        database.texts("SELECT worker_id || ' ' || host FROM workers").forEach(row -> {
            var words = row.split(" ", 2);
            hosts.put(words[0], words[1]);
        });
    }

    /** The ids of the workers on those hosts. */
    Set<String> ids(Set<String> of) {
        return hosts.entrySet().stream()
                .filter(entry -> of.contains(entry.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
