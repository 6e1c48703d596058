package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.endpoint.QueueStore.Place;
import io.taskexec.store.sql.Once;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a claimed execution may begin: not while its queue is paused. A pause changes the epoch of queues, so
 * an execution may begin when the epoch is still the one in which its queue was running, by a look that began at most
 * {@link #MAX_AGE} ago. Who comes later looks anew; one look serves all that wait for it, and an idle process makes
 * none.
 */
@Singleton
final class PauseGate {
    /** How long a look is relied on: by so much a beginning may be late, and a pause answers before. */
    static final Duration MAX_AGE = Duration.ofMillis(150);

    private static final long MAX_AGE_NANOS = MAX_AGE.toNanos();

    /** A look of this age is followed by another one in time, so that hardly anything has to wait for it. */
    static final Duration REFRESH_AGE = Duration.ofMillis(100);

    private static final long REFRESH_AGE_NANOS = REFRESH_AGE.toNanos();

    /** A database that takes longer than {@link #MAX_AGE} to answer must not keep everything from beginning. */
    private static final int MAX_LOOKS = 3;

    private static final Uni<Boolean> YES = Uni.createFrom().item(true);
    private static final Uni<Boolean> NO = Uni.createFrom().item(false);

    private final Queues queues;
    private final LongSupplier nanos;
    private volatile Look last;
    private @Nullable Uni<Look> underWay;

    /** Reads what is known of queues. */
    interface Queues {
        Uni<Long> epoch();

        Uni<Place> placeOf(UUID executionId);
    }

    /**
     * A look at the epoch.
     *
     * @param startedAt before the statement was sent
     */
    private record Look(long startedAt, long epoch) {}

    @Inject
    PauseGate(QueueStore store) {
        this(
                new Queues() {
                    @Override
                    public Uni<Long> epoch() {
                        return store.epoch();
                    }

                    @Override
                    public Uni<Place> placeOf(UUID executionId) {
                        return store.placeOf(executionId);
                    }
                },
                System::nanoTime);
    }

    /** @param nanos the monotonic clock */
    PauseGate(Queues queues, LongSupplier nanos) {
        this.queues = queues;
        this.nanos = nanos;
        this.last = new Look(nanos.getAsLong() - MAX_AGE_NANOS - 1, 0);
    }

    /** The epoch of queues as it was last seen. */
    long epoch() {
        return last.epoch();
    }

    /** Tells of a look that was made elsewhere, and of when it began. */
    void looked(long startedAt, long epoch) {
        var _ = record(new Look(startedAt, epoch));
    }

    /** Whether it is known, without a look, that the execution may begin now. */
    boolean isOpen(Lease lease) {
        var look = last;
        var age = age(look);
        if (age > MAX_AGE_NANOS || lease.queueEpoch() != look.epoch()) {
            return false;
        }
        if (age > REFRESH_AGE_NANOS) {
            // What comes of it is for those that begin later, who look themselves when it fails.
            var _ = look().subscribe().with(_ -> {}, _ -> {});
        }
        return true;
    }

    /** Returns whether the execution may begin now; it must not when its queue is paused. */
    Uni<Boolean> mayBegin(Lease lease) {
        return isOpen(lease) ? YES : decide(lease, MAX_LOOKS);
    }

    private Uni<Boolean> decide(Lease lease, int looksLeft) {
        var look = last;
        if (age(look) > MAX_AGE_NANOS && looksLeft > 0) {
            return look().chain(() -> decide(lease, looksLeft - 1));
        }
        return lease.queueEpoch() == look.epoch() ? YES : ask(lease, looksLeft);
    }

    /** A queue was changed, though perhaps another one. */
    private Uni<Boolean> ask(Lease lease, int looksLeft) {
        var askedAt = nanos.getAsLong();
        return queues.placeOf(lease.claim().executionId()).chain(place -> {
            if (place.isBlocked()) {
                return NO;
            }
            lease.seenRunning(place.epoch());
            looked(askedAt, place.epoch());
            return looksLeft > 0 ? decide(lease, looksLeft - 1) : YES;
        });
    }

    /** A look that is under way also serves who comes now: it tells itself how old it is. */
    private synchronized Uni<Look> look() {
        var present = underWay;
        if (present != null) {
            return present;
        }
        var startedAt = nanos.getAsLong();
        var started = Once.forAll(queues.epoch()
                .map(epoch -> record(new Look(startedAt, epoch)))
                .onTermination()
                .invoke(this::ended));
        underWay = started;
        return started;
    }

    private synchronized void ended() {
        underWay = null;
    }

    /** An answer may come after that to a later look. */
    private synchronized Look record(Look look) {
        if (look.startedAt() - last.startedAt() > 0) {
            last = look;
        }
        return last;
    }

    private long age(Look look) {
        return nanos.getAsLong() - look.startedAt();
    }
}
