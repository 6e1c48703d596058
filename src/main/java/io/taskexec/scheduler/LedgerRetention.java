package io.taskexec.scheduler;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.store.LedgerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Removes ticks that are older than history is kept, of some schedules at a time. */
final class LedgerRetention implements Duty {
    private static final int SCHEDULES = 500;
    private static final UUID START = new UUID(0, 0);
    private static final Duration BETWEEN_BATCHES = Duration.ofMillis(500);
    private static final Duration BETWEEN_ROUNDS = Duration.ofHours(1);

    private final LedgerStore store;
    private final SchedulerConfig config;
    private UUID position = START;

    LedgerRetention(LedgerStore store, SchedulerConfig config) {
        this.store = store;
        this.config = config;
    }

    @Override
    public Uni<Duration> runOnce() {
        if (config.retentionDays() == 0) {
            return Uni.createFrom().item(BETWEEN_ROUNDS);
        }
        return store.deleteBefore(Instant.now().minus(config.retention()), position, SCHEDULES)
                .map(this::goOn);
    }

    private Duration goOn(@Nullable UUID last) {
        position = last == null ? START : last;
        return last == null ? BETWEEN_ROUNDS : BETWEEN_BATCHES;
    }
}
