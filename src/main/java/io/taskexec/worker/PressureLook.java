package io.taskexec.worker;

import io.smallrye.mutiny.Uni;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.worker.pressure.PressureConfig;
import io.taskexec.worker.pressure.PressureWatch;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Set;

/** Looks at the pressure of this process once a second. */
@Singleton
final class PressureLook implements WorkerDuty {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofDays(1);

    private final PressureWatch watch;
    private final PressureConfig config;
    private final DueSignal dueSignal;

    PressureLook(PressureWatch watch, PressureConfig config, DueSignal dueSignal) {
        this.watch = watch;
        this.config = config;
        this.dueSignal = dueSignal;
    }

    @Override
    public String name() {
        return "looking at pressure";
    }

    @Override
    public Uni<Duration> runOnce() {
        if (!config.enabled().isOn()) {
            return Uni.createFrom().item(NEVER);
        }
        return watch.look()
                .invoke(isRelieved -> {
                    if (isRelieved) {
                        // The poller reckons with what was left out.
                        dueSignal.heard(Set.of(Work.PUSHED));
                    }
                })
                .replaceWith(INTERVAL);
    }
}
