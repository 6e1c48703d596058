package io.taskexec.worker;

import java.time.Duration;

/** Settings of a worker in a test; the lease may be shorter than a second. */
record TestConfig(int maxConcurrent, int pollIntervalMs, Duration lease, int shutdownTimeoutSec)
        implements WorkerConfig {
    @Override
    public int leaseSec() {
        return Math.toIntExact(lease.toSeconds());
    }
}
