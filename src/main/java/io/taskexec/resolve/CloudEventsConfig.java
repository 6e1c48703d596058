package io.taskexec.resolve;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;

/** Settings of deliveries that are CloudEvents ({@code TE_CLOUD_EVENTS_*}). */
@ConfigMapping(prefix = "te.cloud-events")
public interface CloudEventsConfig {
    @Setting(
            value = "The `ce-source` of deliveries that are [CloudEvents](delivery.md#delivery-headers)."
                    + " The same in all processes; another one for another installation.",
            min = 1,
            max = 255,
            form = "a URI or a reference")
    @WithDefault("/taskexec")
    String source();
}
