package io.taskexec.worker;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Settings of the worker role. */
@ConfigMapping(prefix = "te.worker")
public interface WorkerConfig {
    /** TE_WORKER_MAX_CONCURRENT: executions that run at the same time in this process. */
    @WithDefault("50")
    int maxConcurrent();

    /** TE_WORKER_POLL_INTERVAL_MS: the longest sleep of an idle poller, in milliseconds. */
    @WithDefault("200")
    int pollIntervalMs();

    /** TE_WORKER_LEASE_SEC: how long a claim holds, in seconds; it is renewed after a third. */
    @WithDefault("60")
    int leaseSec();

    /** TE_WORKER_SHUTDOWN_TIMEOUT_SEC: how long running executions may take to end at shutdown, in seconds. */
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
