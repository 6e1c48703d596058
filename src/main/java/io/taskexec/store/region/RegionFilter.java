package io.taskexec.store.region;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.region.RegionStore.Region;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.wakeup.DueSignal;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells the regions whose work this process does: its own, and those that this has adopted. Regions differ by their
 * lanes, so a single region costs nothing.
 */
@Singleton
public final class RegionFilter {
    private final RegionStore store;
    private final HomeRegion home;
    private final DueSignal dueSignal;
    private volatile @Nullable Served served;

    /**
     * @param own the number of the own region
     * @param all the numbers of all regions whose work is done here
     * @param known how many regions there are
     */
    private record Served(int own, List<Integer> all, int known) {}

    @Inject
    RegionFilter(RegionStore store, RegionConfig config, DueSignal dueSignal) {
        this(store, new HomeRegion(config.region()), dueSignal);
    }

    public RegionFilter(RegionStore store, HomeRegion home, DueSignal dueSignal) {
        this.store = store;
        this.home = home;
        this.dueSignal = dueSignal;
    }

    /** The region of this process. */
    public HomeRegion home() {
        return home;
    }

    /**
     * The number of the own region, which new jobs belong to. Fails with {@link LimitReachedException} when there are
     * as many regions as there may be.
     */
    public Uni<Integer> number() {
        return served().map(Served::own);
    }

    /** The numbers of the regions to claim from. */
    public Uni<List<Integer>> numbers() {
        return served().map(Served::all);
    }

    private Uni<Served> served() {
        var known = served;
        return known == null ? read() : Uni.createFrom().item(known);
    }

    /** Looks again whose work is to be done here; returns how many regions there are. */
    public Uni<Integer> refresh() {
        return read().map(Served::known);
    }

    private Uni<Served> read() {
        // Two that come at the same time want the same number.
        return Uni.createFrom()
                .deferred(this::registered)
                .onFailure(LimitReachedException.class)
                .retry()
                .atMost(Lanes.REGIONS)
                .invoke(this::serve);
    }

    private Uni<Served> registered() {
        return store.all()
                .chain(regions -> own(regions).isPresent()
                        ? Uni.createFrom().item(regions)
                        : store.register(home.name()).chain(store::all))
                .map(this::servedOf);
    }

    private Optional<Region> own(List<Region> regions) {
        return regions.stream()
                .filter(region -> region.name().equals(home.name()))
                .findFirst();
    }

    private Served servedOf(List<Region> regions) {
        var own = own(regions).orElseThrow(RegionFilter::tooMany);
        return new Served(
                own.number(),
                regions.stream()
                        .filter(region -> region.isServedBy(home.name()))
                        .map(Region::number)
                        .toList(),
                regions.size());
    }

    private void serve(Served now) {
        var before = served;
        served = now;
        if (before != null && !before.equals(now)) {
            dueSignal.heard(DueSignal.ANYTHING);
        }
    }

    private static LimitReachedException tooMany() {
        return new LimitReachedException(
                "There are " + Lanes.REGIONS + " regions already, and TE_REGION names another one.");
    }
}
