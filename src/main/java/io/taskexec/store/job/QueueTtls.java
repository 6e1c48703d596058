package io.taskexec.store.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.job.Expiry;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.RecentRead;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gives jobs that state no time to live that of their queue, as it was at most a second ago. */
@Singleton
public final class QueueTtls {
    private static final Duration MAX_AGE = Duration.ofSeconds(1);

    private static final Batcher.Limits LIMITS = new Batcher.Limits(10_000, 10_000, 1);

    private final RecentRead<Map<Integer, Duration>> ttls;
    private final Batcher<NewJob, NewJob> settling;

    public QueueTtls(QueueSettingsStore store) {
        ttls = new RecentRead<>(MAX_AGE, store::ttls);
        settling = new Batcher<>("jobs without a time to live", LIMITS, this::applied);
    }

    /** The settings of a queue were changed by this process: the next job has the new ones. */
    public void changed() {
        ttls.forget();
    }

    /** The progress of what jobs wait for before they are stored. */
    public TaskProgress progress() {
        return settling.progress();
    }

    /** The job as it is to be stored. */
    public Uni<NewJob> applied(NewJob job) {
        var own = job.expiry();
        if (own.ttl() != null || own.expiresAt() != null) {
            return Uni.createFrom().item(job);
        }
        // Behind those that wait for a read: jobs that come together are created in their order.
        var known = settling.isIdle() ? ttls.known() : null;
        return known == null ? settling.submit(job) : Uni.createFrom().item(applied(job, known.get(job.queueId())));
    }

    private Uni<List<NewJob>> applied(List<NewJob> jobs) {
        return ttls.get()
                .map(all -> jobs.stream()
                        .map(job -> applied(job, all.get(job.queueId())))
                        .toList());
    }

    private static NewJob applied(NewJob job, @Nullable Duration ttl) {
        return ttl == null
                ? job
                : job.at(
                        job.runAt(),
                        job.delay(),
                        new Expiry(ttl, null, job.expiry().deadline()));
    }
}
