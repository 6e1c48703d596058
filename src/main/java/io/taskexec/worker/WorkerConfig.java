package io.taskexec.worker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.store.wakeup.DueSignal;
import java.time.Duration;

/** Settings of the worker role. */
@ConfigMapping(prefix = "te.worker")
public interface WorkerConfig {
    @Setting(value = "Executions that run at the same time in this process.", min = 1, max = 10_000)
    @WithDefault("50")
    int maxConcurrent();

    @Setting(
            value = "The longest sleep of an idle worker while processes cannot wake each other. While they can, as"
                    + " on PostgreSQL, it is 4 s if that is longer. It wakes up earlier for what is due earlier,"
                    + " and for jobs that are created.",
            unit = "ms",
            min = 1,
            // Executions beyond the horizon wake no poller when they become due, so an idle poller must not sleep
            // longer.
            max = DueSignal.HORIZON_MS)
    @WithDefault("200")
    int pollIntervalMs();

    @Setting(
            value = "How long a claim holds without being renewed. It is renewed after a third, so that a"
                    + " call may take longer.",
            unit = "s",
            min = 3,
            max = 3600)
    @WithDefault("60")
    int leaseSec();

    @Setting(
            value = "How long running calls may take to end when the process is told to stop.",
            unit = "s",
            min = 0,
            max = 3600)
    @WithDefault("30")
    int shutdownTimeoutSec();

    default Duration pollInterval() {
        return Duration.ofMillis(pollIntervalMs());
    }

    default Duration lease() {
        return Duration.ofSeconds(leaseSec());
    }

    default Duration shutdownTimeout() {
        return Duration.ofSeconds(shutdownTimeoutSec());
    }
}
