package io.taskexec.api.web;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.util.Optional;

/** Settings of the api role. */
@ConfigMapping(prefix = "te")
public interface ApiConfig {
    /** Whether there is a dashboard. */
    enum Dashboard {
        ON,
        OFF
    }

    @Setting(
            value = "The first key, with the scope `admin`: 16 random characters or more.",
            otherwise = "none, required by the role",
            file = true,
            shown = Setting.Shown.NOTHING)
    Optional<String> apiKey();

    @Setting(
            value = "How many requests each key may make of one process; 0 means no limit.",
            unit = "requests/s",
            min = 0,
            max = 1_000_000)
    @WithDefault("0")
    int rateLimitPerSec();

    @Setting(
            value = "How many wrong keys from one address one process looks at; more are answered with 429 until the"
                    + " minute is over. 0 means no limit.",
            unit = "keys/min",
            min = 0,
            max = 1_000_000)
    @WithDefault("100")
    int wrongKeysPerMin();

    @Setting(
            value = "How many clients may [follow events](events.md#following-over-http) at this process.",
            min = 0,
            max = 10_000)
    @WithDefault("100")
    int eventsMaxStreams();

    @Setting("Whether this process serves the [dashboard](dashboard.md) at `/ui`: `on` or `off`.")
    @WithDefault("on")
    Dashboard ui();

    @Setting(
            value = "The address of a trace in your tracing system, with `{trace_id}` in it, for links.",
            otherwise = "none, the id alone is shown")
    Optional<String> uiTraceUrl();
}
