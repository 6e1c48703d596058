package io.taskexec.api;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.Optional;

/** Settings of the api role. */
@ConfigMapping(prefix = "te")
public interface ApiConfig {
    /** TE_API_KEY or TE_API_KEY_FILE: the bootstrap key. */
    Optional<String> apiKey();

    /** TE_RATE_LIMIT_PER_SEC: requests per second and API key; 0 for no limit. */
    @WithDefault("0")
    int rateLimitPerSec();

    /** TE_EVENTS_MAX_STREAMS: how many clients may follow events at this process. */
    @WithDefault("100")
    int eventsMaxStreams();
}
