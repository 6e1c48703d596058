package io.taskexec.scheduler;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of the scheduler role. */
@ConfigMapping(prefix = "te")
public interface SchedulerConfig {
    @Setting(
            value = "How long ended executions are kept, with their jobs and attempts, and entries of the"
                    + " audit log, those for 30 days at least; 0 keeps them for ever.",
            unit = "days",
            min = 0,
            max = 36_500)
    @WithDefault("30")
    int retentionDays();

    @Setting(value = "How often dead workers are looked for.", unit = "s", min = 1, max = 3600)
    @WithDefault("5")
    int reclaimIntervalSec();

    @Setting(
            value = "A worker that was not heard of for so long is taken for dead, and its work is given to"
                    + " others. Workers report every 5 s.",
            unit = "s",
            // With less than two reports, a live worker would count as dead.
            min = 11,
            max = 3600)
    @WithDefault("15")
    int workerSilenceSec();

    @Setting(
            value = "The longest sleep of an idle scheduler while processes cannot wake each other. While they can, as"
                    + " on PostgreSQL, it is 4 s if that is longer. It wakes up earlier for the next tick, and for"
                    + " schedules that are created or changed.",
            unit = "s",
            min = 1,
            max = 60)
    @WithDefault("1")
    int cronTickIntervalSec();

    @Setting(
            value = "Schedules that are moved on in one statement; four such statements may run at the same time.",
            min = 1,
            max = 10_000)
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
