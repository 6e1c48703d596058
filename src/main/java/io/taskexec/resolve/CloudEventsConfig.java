package io.taskexec.resolve;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Settings of deliveries that are CloudEvents ({@code TE_CLOUD_EVENTS_*}). */
@ConfigMapping(prefix = "te.cloud-events")
public interface CloudEventsConfig {
    /** TE_CLOUD_EVENTS_SOURCE: where events come from; a receiver tells events of several installations apart by it. */
    @WithDefault("/taskexec")
    String source();
}
