package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.array;
import static io.taskexec.store.sql.Columns.instant;

import io.taskexec.model.delivery.Claim;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Starts executions in the process that creates them, while nothing else waits there: the statement that creates one
 * also leases it, which spares the signal, the look for what is due and the claim. A crash after it is one after a
 * claim.
 */
@Singleton
public final class EagerStarts {
    private final Map<Work, Starter> starters = new ConcurrentHashMap<>();

    /** Has room for executions, or none. */
    public interface Starter {
        /** A place for the execution of a job that is due at once; null when it is to wait for a claim. */
        @Nullable
        Place place(NewJob job, int lane);
    }

    /** Room for one execution, which is kept until it is filled or left empty. */
    public interface Place {
        UUID workerId();

        Duration lease();

        /**
         * Starts the execution of the job.
         *
         * @param askedAt before its lease was asked for, by {@link System#nanoTime}
         */
        void fill(Claim claim, long askedAt);

        /**
         * There is no such execution, or it has to wait.
         *
         * @param doubted the token of the lease that it has all the same when the answer was lost that told of it; null
         *     when none was lost
         */
        void leaveEmpty(@Nullable Long doubted);
    }

    /** From now on {@code starter} is asked for places for such work. */
    public void startWith(Work work, Starter starter) {
        starters.put(work, starter);
    }

    /** Finds places for those of {@code jobs} that are due at once. */
    Starts of(List<NewJob> jobs, JobForm form, int region) {
        if (starters.isEmpty() || !form.mayStart()) {
            return Starts.NONE;
        }
        var places = new HashMap<UUID, Place>();
        for (var job : jobs) {
            var starter = job.isForNow() ? starters.get(job.work()) : null;
            var place = starter == null ? null : starter.place(job, job.lane(region));
            if (place != null) {
                places.put(job.id(), place);
            }
        }
        return places.isEmpty() ? Starts.NONE : new Starts(jobs, places);
    }

    /** The places for the jobs of one statement. */
    static final class Starts {
        static final Starts NONE = new Starts(List.of(), Map.of());

        private final List<NewJob> jobs;
        private final Map<UUID, Place> places;
        private final Set<UUID> started = new HashSet<>();
        // Random, as that of a claim.
        private final long token = ThreadLocalRandom.current().nextLong();
        private final long askedAt = System.nanoTime();

        private Starts(List<NewJob> jobs, Map<UUID, Place> places) {
            this.jobs = jobs;
            this.places = places;
        }

        boolean isEmpty() {
            return places.isEmpty();
        }

        /** Whether the execution of a job has been started, so that no one need be told of it. */
        boolean has(UUID jobId) {
            return started.contains(jobId);
        }

        Tuple addTo(Tuple parameters) {
            return parameters
                    .addValue(array(jobs, UUID[]::new, job -> worker(job.id())))
                    .addValue(array(jobs, Long[]::new, job -> leaseMillis(job.id())))
                    .addLong(token);
        }

        private @Nullable UUID worker(UUID jobId) {
            var place = places.get(jobId);
            return place == null ? null : place.workerId();
        }

        private @Nullable Long leaseMillis(UUID jobId) {
            var place = places.get(jobId);
            return place == null ? null : place.lease().toMillis();
        }

        /** Starts what the statement has created; {@code rows} is null when it has failed. */
        void settle(@Nullable RowSet<Row> rows, Database database) {
            var created = new HashMap<UUID, Row>();
            if (rows != null && !isEmpty()) {
                rows.forEach(row -> created.put(row.getUUID("job_id"), row));
            }
            var doubted = mayHaveLostAnswer(database) ? token : null;
            for (var job : jobs) {
                var place = places.get(job.id());
                var row = created.get(job.id());
                if (place != null && row != null && row.getBoolean("started")) {
                    started.add(job.id());
                    database.metrics().claims().claimedAtOnce();
                    place.fill(claim(job, row), askedAt);
                } else if (place != null) {
                    place.leaveEmpty(doubted);
                }
            }
        }

        /** Then the statement was run again, or has failed: it may have started what its answer does not tell of. */
        private boolean mayHaveLostAnswer(Database database) {
            var lostAt = database.answerLostAt();
            return lostAt != null && lostAt - askedAt >= 0;
        }

        private Claim claim(NewJob job, Row row) {
            return new Claim(
                    job.id(),
                    job.id(),
                    token,
                    1,
                    0,
                    0,
                    job.endpoint(),
                    job.endpointVersion(),
                    row.getInteger("config_version"),
                    row.getLong("secret_epoch"),
                    job.input(),
                    instant(row, "run_at"),
                    job.trace(),
                    null,
                    null,
                    null,
                    job.options(),
                    false,
                    false,
                    false);
        }
    }
}
