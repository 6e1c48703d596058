package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.array;
import static io.taskexec.store.sql.Columns.utc;

import io.vertx.mutiny.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/** The parameters of the statement of {@link JobInsert}: an array for each column, and those of its optional parts. */
public final class JobParameters {
    private JobParameters() {}

    /** Returns all parameters of jobs that depend on no others. */
    public static Tuple of(List<NewJob> jobs, int region, JobForm form) {
        return addOptions(ofAll(jobs, region, form), jobs, form);
    }

    /** Returns those before the parents of the jobs. */
    static Tuple ofAll(List<NewJob> jobs, int region, JobForm form) {
        var parameters = Tuple.tuple()
                .addValue(array(jobs, UUID[]::new, NewJob::id))
                .addValue(array(jobs, String[]::new, NewJob::endpoint))
                .addValue(array(jobs, Integer[]::new, NewJob::endpointVersion))
                .addValue(array(jobs, Integer[]::new, NewJob::payloadSpecVersion))
                .addValue(array(jobs, String[]::new, NewJob::trigger))
                .addValue(array(jobs, OffsetDateTime[]::new, job -> utc(job.runAt())))
                .addValue(array(jobs, Long[]::new, job -> job.delay().toMillis()))
                .addValue(array(jobs, Integer[]::new, job -> job.lane(region)))
                .addValue(array(jobs, String[]::new, NewJob::idempotencyKey))
                .addValue(array(jobs, UUID[]::new, NewJob::fingerprint))
                .addValue(array(jobs, String[]::new, NewJob::storedInput))
                .addValue(array(jobs, String[]::new, NewJob::joinedTags))
                .addValue(array(jobs, String[]::new, NewJob::storedTrace));
        if (form.keyed()) {
            parameters
                    .addValue(array(
                            jobs,
                            Long[]::new,
                            job -> job.flow() == null ? null : job.flow().id()))
                    .addValue(array(
                            jobs,
                            String[]::new,
                            job -> job.flow() == null ? null : job.flow().key()));
        }
        if (form.queued()) {
            parameters.addValue(ownQueues(jobs));
        }
        return form.expiring() ? addExpiries(parameters, jobs) : parameters;
    }

    /** Adds those after the parents of the jobs. */
    static Tuple addOptions(Tuple parameters, List<NewJob> jobs, JobForm form) {
        return form.optioned() ? parameters.addValue(array(jobs, String[]::new, NewJob::storedOptions)) : parameters;
    }

    private static Tuple addExpiries(Tuple parameters, List<NewJob> jobs) {
        return parameters
                .addValue(array(jobs, Long[]::new, NewJob::ttlMillis))
                .addValue(array(
                        jobs, OffsetDateTime[]::new, job -> utc(job.expiry().expiresAt())))
                .addValue(array(
                        jobs, OffsetDateTime[]::new, job -> utc(job.expiry().deadline())));
    }

    private static Integer[] ownQueues(List<NewJob> jobs) {
        return jobs.stream()
                .filter(NewJob::namesQueue)
                .map(NewJob::queueId)
                .distinct()
                .toArray(Integer[]::new);
    }
}
