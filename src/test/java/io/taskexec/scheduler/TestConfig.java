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

    @Override
    public int cronTickIntervalSec() {
        return 1;
    }

    @Override
    public int cronBatchSize() {
        return 500;
    }
}
