package io.taskexec.region;

import io.smallrye.mutiny.Uni;
import io.taskexec.loop.Duty;
import io.taskexec.store.region.RegionFilter;
import io.taskexec.store.region.RegionStore;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;

/** Follows all regions, adopts the work of silent ones, and gives work back to regions that are heard again. */
final class Failover implements Duty {
    private static final Logger LOG = Logger.getLogger(Failover.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final RegionStore regions;
    private final RegionFilter filter;
    private final Duration silence;

    Failover(RegionStore regions, RegionFilter filter, Duration silence) {
        this.regions = regions;
        this.filter = filter;
        this.silence = silence;
    }

    @Override
    public Uni<Duration> runOnce() {
        return filter.refresh()
                .chain(all -> all > 1 ? evaluate() : Uni.createFrom().voidItem())
                .replaceWith(INTERVAL);
    }

    private Uni<Void> evaluate() {
        var home = filter.home().name();
        return regions.giveBack(silence)
                .chain(back -> regions.adopt(home, silence)
                        .invoke(adopted -> tell(home, adopted, back))
                        .chain(adopted -> adopted.isEmpty() && back.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : filter.refresh().replaceWithVoid()));
    }

    private static void tell(String home, List<String> adopted, List<String> back) {
        if (!adopted.isEmpty()) {
            LOG.warnf("regions %s are silent, region %s does their work", adopted, home);
        }
        if (!back.isEmpty()) {
            LOG.infof("regions %s are back and do their work themselves", back);
        }
    }
}
