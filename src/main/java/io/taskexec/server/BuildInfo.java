package io.taskexec.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.taskexec.config.Version;
import jakarta.inject.Singleton;

/** Tells in metrics which version runs: always 1, and the version is a label. */
@Singleton
final class BuildInfo implements MeterBinder {
    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("taskexec.build.info", () -> 1)
                .description("The version that runs")
                .tag("version", Version.number())
                .register(registry);
    }
}
