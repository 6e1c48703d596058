package io.taskexec.observe.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.taskexec.loop.LoopTimer;
import io.taskexec.testing.TestDb;
import java.util.Map;

/** Tracing with the settings of a test. */
public final class TestTracing {
    private TestTracing() {}

    /** Without a collector. */
    public static Tracing off() {
        return with(Map.of(), new LoopTimer(), new SimpleMeterRegistry());
    }

    /** @param settings names as in the environment, with their values */
    static Tracing with(Map<String, String> settings, LoopTimer timer, MeterRegistry metrics) {
        return new Tracing(config(settings), TestDb.vertx(), timer, metrics, "1.2.3");
    }

    static TraceConfig config(Map<String, String> settings) {
        return new SmallRyeConfigBuilder()
                .withSources(new EnvConfigSource(settings, 1))
                .withMapping(TraceConfig.class)
                .build()
                .getConfigMapping(TraceConfig.class);
    }
}
