package io.taskexec.scheduler;

/** The defaults, but for retention and perhaps for the longest sleep between ticks. */
record TestConfig(int retentionDays, int cronTickIntervalSec) implements SchedulerConfig {
    TestConfig(int retentionDays) {
        this(retentionDays, 1);
    }

    @Override
    public int reclaimIntervalSec() {
        return 5;
    }

    @Override
    public int workerSilenceSec() {
        return 15;
    }

    @Override
    public int cronBatchSize() {
        return 500;
    }
}
