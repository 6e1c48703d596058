package io.taskexec.region;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Loop;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.TaskProgress;
import io.taskexec.store.region.HeartbeatStore;
import io.taskexec.store.region.RegionConfig;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.region.RegionStore;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.sql.StoreConfig;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers the region of this process and follows the state of all regions. */
@Singleton
public final class Regions {
    private static final Duration BEAT = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final HeartbeatStore heartbeats;
    private final RegionFilter filter;
    private final RegionStore regions;
    private final StoreConfig stored;
    private final EventsConfig events;
    private final LoopTimer timer;
    private final Failover failover;
    private volatile List<Loop> loops = List.of();
    private volatile @Nullable Loop living;

    Regions(
            HeartbeatStore heartbeats,
            RegionFilter filter,
            RegionStore regions,
            RegionConfig config,
            StoreConfig stored,
            EventsConfig events,
            LoopTimer timer) {
        this.regions = regions;
        this.stored = stored;
        this.events = events;
        this.heartbeats = heartbeats;
        this.filter = filter;
        this.timer = timer;
        this.failover = new Failover(regions, filter, config.regionSilence());
    }

    /** Registers the region; returns why this process cannot have it, null when it can. */
    public Uni<@Nullable String> refusal() {
        Uni<@Nullable String> registered = filter.number().map(_ -> null);
        return registered
                .onFailure(LimitReachedException.class)
                .recoverWithItem(Throwable::getMessage)
                // The database is unavailable; the loops wait until it is back.
                .onFailure()
                .recoverWithNull();
    }

    /**
     * Starts to say that these roles live, and to follow what becomes of regions.
     *
     * @param schedules whether this process also decides about it
     */
    public void start(Collection<String> roles, boolean schedules) {
        var beating = new Loop("saying that the roles live", () -> beat(roles), timer);
        var following = new Loop("following regions", () -> follow(!schedules), timer);
        loops = schedules
                ? List.of(beating, following, new Loop("adopting the work of silent regions", failover, timer))
                : List.of(beating, following);
        living = beating;
        loops.forEach(Loop::start);
    }

    /** The progress of the heartbeat, which every process sends. */
    public TaskProgress progress() {
        var beating = living;
        return beating == null ? TaskProgress.NONE : beating.progress();
    }

    private Uni<Duration> beat(Collection<String> roles) {
        return heartbeats.live(filter.home(), roles).replaceWith(BEAT);
    }

    /** @param looks also at all regions, which the failover of this process does otherwise */
    private Uni<Duration> follow(boolean looks) {
        return (looks ? filter.refresh().replaceWithVoid() : Uni.createFrom().voidItem())
                .chain(() -> regions.describe(filter.home().name(), events.isEnabled(), stored.idempotencyKeyTtl()))
                .replaceWith(LOOK);
    }

    /** Stops; the result comes when what was under way has ended. */
    public Uni<Void> stop() {
        var stopping = loops.stream().map(Loop::stop).toList();
        return stopping.isEmpty()
                ? Uni.createFrom().voidItem()
                : Uni.join().all(stopping).andCollectFailures().replaceWithVoid();
    }
}
