package io.taskexec.observe.metrics;

import io.quarkus.vertx.VertxOptionsCustomizer;
import io.vertx.core.VertxOptions;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.spi.VertxMetricsFactory;
import io.vertx.core.spi.metrics.PoolMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Has the pool of connections to the database measured, and nothing else of what Vert.x could have: of its clients it
 * would have a series for each receiver that is ever called.
 */
@Singleton
final class PoolMeasuring implements VertxOptionsCustomizer {
    private static final String OF_DATABASES = "sql";

    private final Provider<Meters> meters;

    /** @param meters asked for when a pool is made, since Vert.x is made before them */
    PoolMeasuring(Provider<Meters> meters) {
        this.meters = meters;
    }

    @Override
    @SuppressWarnings("deprecation") // A factory can be given to the builder of Vert.x too, which is Quarkus's.
    public void accept(VertxOptions options) {
        VertxMetricsFactory factory = _ -> new Pools();
        options.setMetricsOptions(new MetricsOptions().setEnabled(true).setFactory(factory));
    }

    private final class Pools implements VertxMetrics {
        @Override
        public @Nullable PoolMetrics<?> createPoolMetrics(String type, String name, int size) {
            return type.equals(OF_DATABASES) && meters.get().areOn() ? new DatabasePool(meters.get(), size) : null;
        }
    }
}
