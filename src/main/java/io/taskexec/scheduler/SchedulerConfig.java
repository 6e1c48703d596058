package io.taskexec.scheduler;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.time.Duration;

/** Settings of the scheduler role. */
@ConfigMapping(prefix = "te")
public interface SchedulerConfig {
    /** TE_RETENTION_DAYS: how long finished executions are kept, in days; 0 keeps them for ever. */
    @WithDefault("30")
    int retentionDays();

    /** TE_RECLAIM_INTERVAL_SEC: how often dead workers are looked for, in seconds. */
    @WithDefault("5")
    int reclaimIntervalSec();

    /** TE_WORKER_SILENCE_SEC: a worker not heard of for this many seconds is taken for dead. */
    @WithName("worker-silence-sec")
    @WithDefault("15")
    int workerSilenceSec();

    /** TE_CRON_TICK_INTERVAL_SEC: the longest sleep of an idle scheduler, in seconds. */
    @WithDefault("1")
    int cronTickIntervalSec();

    /** TE_CRON_BATCH_SIZE: schedules that are moved on in one statement. */
    @WithDefault("500")
    int cronBatchSize();

    default Duration cronTickInterval() {
        return Duration.ofSeconds(cronTickIntervalSec());
    }

    default Duration reclaimInterval() {
        return Duration.ofSeconds(reclaimIntervalSec());
    }

    default Duration workerSilence() {
        return Duration.ofSeconds(workerSilenceSec());
    }

    default Duration retention() {
        return Duration.ofDays(retentionDays());
    }
}
