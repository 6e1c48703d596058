package io.taskexec.worker.pressure;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.Switch;
import java.time.Duration;

/** Settings of the pressure under which less urgent executions wait. */
@ConfigMapping(prefix = "te.pressure")
public interface PressureConfig {
    @Setting("Whether workers hold back less urgent executions under [pressure](operations.md#pressure).")
    @WithDefault("true")
    Switch enabled();

    @Setting(value = "From this pressure on, priorities 6 and 7 do not start.", unit = "%", min = 1, max = 100)
    @WithDefault("60")
    int lowPercent();

    @Setting(value = "From this pressure on, priorities 3 to 7 do not start.", unit = "%", min = 1, max = 100)
    @WithDefault("80")
    int normalPercent();

    @Setting(value = "From this pressure on, only priority 0 starts.", unit = "%", min = 1, max = 100)
    @WithDefault("100")
    int urgentPercent();

    @Setting(
            value = "The pressure while this process uses all of its processors. By default that alone holds"
                    + " nothing back, since a busy worker is not an overloaded one.",
            unit = "%",
            min = 0,
            max = 100)
    @WithDefault("59")
    int cpuPercent();

    @Setting(
            value = "The part of the heap, after a collection, at which pressure begins.",
            unit = "%",
            min = 1,
            max = 99)
    @WithDefault("70")
    int memoryPercent();

    @Setting(value = "The delay of an event loop that is the highest pressure.", unit = "ms", min = 10, max = 60_000)
    @WithDefault("1000")
    int eventLoopMs();

    @Setting(
            value = "The time of a small query, waiting for a connection included, that is the highest pressure.",
            unit = "ms",
            min = 10,
            max = 60_000)
    @WithDefault("2500")
    int databaseMs();

    default Duration eventLoop() {
        return Duration.ofMillis(eventLoopMs());
    }

    default Duration database() {
        return Duration.ofMillis(databaseMs());
    }
}
