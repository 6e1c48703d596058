package io.taskexec.clock;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.ProgramClock;
import io.taskexec.store.clock.ClockStore;
import io.taskexec.store.clock.ClockStore.Due;
import io.taskexec.store.clock.ClockStore.Kind;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Moves the clock of the database and that of the program ahead together, from one thing that is due to the next: each
 * is done before the clock goes on, so that all happens in order.
 */
@Singleton
public final class VirtualClock {
    /** The longest time of one advance. */
    public static final Duration LONGEST_ADVANCE = Duration.ofMinutes(10);

    private static final Duration STATEMENT = Duration.ofSeconds(30);
    private static final Set<Kind> ALL = Set.of(Kind.values());
    private static final long PAUSE_NANOS = 500_000;

    private final ClockMode mode;
    private final ClockStore store;
    private final Instance<ClockFollower> followers;
    private final AtomicBoolean advancing = new AtomicBoolean();

    // It waits most of the time, which no other work should wait for.
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("virtual clock").daemon().factory());

    /** @param followers made when the clock is moved, since not every process has their roles */
    VirtualClock(
            @ConfigProperty(name = ClockMode.PROPERTY, defaultValue = "NONE") ClockMode mode,
            ClockStore store,
            Instance<ClockFollower> followers) {
        this.mode = mode;
        this.store = store;
        this.followers = followers;
    }

    /** Whether the clock can be moved. */
    public boolean isOn() {
        return mode == ClockMode.VIRTUAL;
    }

    /** Sets the clock of the program to that of the database; returns false when that must not have been moved. */
    public boolean start() {
        return switch (mode) {
            case NONE -> true;
            case UNMOVED -> store.ahead().await().atMost(STATEMENT).isZero();
            case VIRTUAL -> {
                ProgramClock.setAhead(store.prepare().await().atMost(STATEMENT));
                yield true;
            }
        };
    }

    /** Ends the thread. */
    @PreDestroy
    public void close() {
        var _ = thread.shutdownNow();
    }

    /** Whether the clock is being moved. */
    public boolean isAdvancing() {
        return advancing.get();
    }

    /** The end of an advance. */
    public sealed interface Advance {
        /** The clock is at its goal, after so many steps. */
        record Done(long steps) implements Advance {}

        /** The clock stays where it is, since a step was not done in time. */
        record Stuck(List<String> running) implements Advance {}

        /** The advance itself took too long. */
        record TooLong() implements Advance {}

        /** Another one is under way. */
        record Refused() implements Advance {}
    }

    /**
     * Moves the clock ahead to a time, and does what is due until then.
     *
     * @param patience how long one step may take
     */
    public Uni<Advance> advance(Instant goal, Duration patience) {
        return Uni.createFrom()
                .deferred(() -> advancing.compareAndSet(false, true)
                        ? Uni.createFrom().completionStage(() -> run(goal, patience))
                        : Uni.createFrom().item(new Advance.Refused()));
    }

    /** It goes on when the client that asked for it has gone. */
    private CompletionStage<Advance> run(Instant goal, Duration patience) {
        return CompletableFuture.supplyAsync(() -> new Run(followers.stream().toList(), goal, patience).run(), thread)
                .whenComplete((_, _) -> advancing.set(false));
    }

    /** One advance. */
    private final class Run {
        private final List<ClockFollower> followers;
        private final Instant goal;
        private final Duration patience;
        private final long startedAt = System.nanoTime();

        Run(List<ClockFollower> followers, Instant goal, Duration patience) {
            this.followers = followers;
            this.goal = goal;
            this.patience = patience;
        }

        Advance run() {
            for (var steps = 0L; ; steps++) {
                var done = awaitRest();
                if (done == null) {
                    return new Advance.Stuck(followers.stream()
                            .flatMap(follower -> follower.running().stream())
                            .sorted()
                            .toList());
                }
                if (!ProgramClock.now().isBefore(goal)) {
                    return new Advance.Done(steps);
                }
                if (System.nanoTime() - startedAt > LONGEST_ADVANCE.toNanos()) {
                    return new Advance.TooLong();
                }
                moveTo(done);
            }
        }

        /** To the time of what comes next. */
        private void moveTo(Due due) {
            var time = due.next().values().stream()
                    .filter(goal::isAfter)
                    .min(Comparator.naturalOrder())
                    .orElse(goal);
            ProgramClock.setAhead(store.moveTo(time).await().atMost(STATEMENT));
            look(due.at(time));
        }

        private void look(Set<Kind> kinds) {
            followers.forEach(follower -> follower.look(kinds));
        }

        /** Waits until all that is due has been done; returns null when that takes too long. */
        private @Nullable Due awaitRest() {
            var end = System.nanoTime() + patience.toNanos();
            while (!Thread.currentThread().isInterrupted()) {
                if (isResting()) {
                    var due = store.due().await().atMost(STATEMENT);
                    if (!due.isDue() && isResting()) {
                        return due;
                    }
                    if (due.isDue()) {
                        look(ALL);
                    }
                }
                if (System.nanoTime() - end > 0) {
                    return null;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return null;
        }

        private boolean isResting() {
            return followers.stream().allMatch(ClockFollower::isResting);
        }
    }
}
