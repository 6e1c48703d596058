package io.taskexec.scheduler;

/** The defaults, but for retention. */
record TestConfig(int retentionDays) implements SchedulerConfig {
    @Override
    public int reclaimIntervalSec() {
        return 5;
    }

    @Override
    public int workerSilenceSec() {
        return 15;
    }
}
