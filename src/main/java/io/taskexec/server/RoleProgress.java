package io.taskexec.server;

import io.taskexec.config.Role;
import io.taskexec.config.ServerConfig;
import io.taskexec.model.TaskProgress;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Tracks the progress of the loops that the roles of this process depend on. */
@Singleton
final class RoleProgress {
    private final Duration bound;
    private final Map<Role, Supplier<Map<String, TaskProgress>>> roles = new ConcurrentSkipListMap<>();
    private volatile boolean started;

    @Inject
    RoleProgress(ServerConfig config) {
        this(config.healthStall());
    }

    /** @param bound the longest time that a loop may be stuck or fail */
    RoleProgress(Duration bound) {
        this.bound = bound;
    }

    /** A role is being started; {@code progress} returns the progress of its loops, by name. */
    void watch(Role role, Supplier<Map<String, TaskProgress>> progress) {
        roles.put(role, progress);
    }

    /** All roles have been started. */
    void started() {
        started = true;
    }

    boolean hasStarted() {
        return started;
    }

    /** Whether {@code time} is within the bound for all loops. */
    boolean isWithinBounds(Function<TaskProgress, Duration> time) {
        return roles.values().stream()
                .flatMap(progress -> progress.get().values().stream())
                .allMatch(one -> time.apply(one).compareTo(bound) <= 0);
    }

    /** Passes all progress with its name, such as {@code worker.claims}. */
    void forEach(BiConsumer<String, TaskProgress> consumer) {
        roles.forEach((role, progress) -> progress.get()
                .forEach((name, one) -> consumer.accept(role.name().toLowerCase(Locale.ROOT) + "." + name, one)));
    }
}
