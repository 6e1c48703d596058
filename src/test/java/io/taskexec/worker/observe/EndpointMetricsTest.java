package io.taskexec.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.worker.observe.AttemptMetrics.Ending;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EndpointMetricsTest {
    private static final String NAME = "taskexec.endpoint.attempt.duration";
    private static final long TOOK = Duration.ofSeconds(2).toNanos();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicLong now = new AtomicLong(1);
    private final EndpointMetrics metrics = new EndpointMetrics(Meters.of(registry), now::get);

    private void fillPlaces() {
        IntStream.range(0, EndpointMetrics.MAX_ENDPOINTS)
                .forEach(i -> metrics.ended("endpoint-" + i, Ending.SUCCESS, TOOK));
    }

    private void minuteLater() {
        now.addAndGet(Duration.ofMinutes(1).toNanos());
    }

    /** Null when there is no such series. */
    private @Nullable Long count(String endpoint) {
        var timer = registry.find(NAME)
                .tags("endpoint", endpoint, "outcome", "success")
                .timer();
        return timer == null ? null : timer.count();
    }

    @Test
    void anEndpointHasItsAttemptsByOutcomeAndTheirTime() {
        metrics.ended("mail", Ending.SUCCESS, TOOK);
        metrics.ended("mail", Ending.SUCCESS, TOOK);
        metrics.ended("mail", Ending.FAILED, TOOK);

        assertThat(count("mail")).isEqualTo(2);
        assertThat(registry.get(NAME)
                        .tags("endpoint", "mail", "outcome", "failed")
                        .timer()
                        .totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
    }

    @Test
    void whatFindsNoPlaceIsCountedWithTheOthers() {
        fillPlaces();
        metrics.ended("late", Ending.SUCCESS, TOOK);
        metrics.ended("later", Ending.SUCCESS, TOOK);

        assertThat(count("late")).isNull();
        assertThat(count("other")).isEqualTo(2);
        assertThat(registry.find(NAME).timers()).hasSize(EndpointMetrics.MAX_ENDPOINTS + 1);
    }

    @Test
    void afterAMinuteABusierEndpointHasThePlaceOfAnIdleOne() {
        fillPlaces();
        IntStream.range(0, 3).forEach(_ -> metrics.ended("busy", Ending.SUCCESS, TOOK));
        minuteLater();
        metrics.ended("busy", Ending.SUCCESS, TOOK);

        assertThat(count("busy")).isEqualTo(1);
        assertThat(count("other")).isEqualTo(3);
        assertThat(registry.find(NAME).timers()).hasSize(EndpointMetrics.MAX_ENDPOINTS + 1);
    }

    @Test
    void aCallThatEndsWhileItsEndpointLosesItsPlaceIsCountedWithTheOthers() {
        fillPlaces();
        // As a thread has found it that is then held up.
        var idle = IntStream.range(0, EndpointMetrics.MAX_ENDPOINTS)
                .mapToObj(i -> "endpoint-" + i)
                .collect(Collectors.toMap(Function.identity(), metrics::series));
        IntStream.range(0, 3).forEach(_ -> metrics.ended("busy", Ending.SUCCESS, TOOK));
        minuteLater();
        metrics.ended("busy", Ending.SUCCESS, TOOK);

        var refused = idle.entrySet().stream()
                .filter(series -> !series.getValue().record(Ending.FAILED, TOOK))
                .map(Map.Entry::getKey)
                .toList();
        assertThat(refused)
                .singleElement()
                .satisfies(name -> assertThat(count(name)).isNull());
        assertThat(registry.find(NAME).tag("outcome", "failed").timers()).hasSize(EndpointMetrics.MAX_ENDPOINTS - 1);
    }

    @Test
    void anEndpointThatIsLittleBusierGetsNoPlace() {
        fillPlaces();
        IntStream.range(0, 2).forEach(_ -> metrics.ended("busy", Ending.SUCCESS, TOOK));
        minuteLater();
        metrics.ended("busy", Ending.SUCCESS, TOOK);

        assertThat(count("busy")).isNull();
        assertThat(count("other")).isEqualTo(3);
    }

    @Test
    void anEndpointThatIsCalledOtherIsOneOfThem() {
        metrics.ended("other", Ending.SUCCESS, TOOK);
        fillPlaces();
        metrics.ended("late", Ending.SUCCESS, TOOK);

        assertThat(count("other")).isEqualTo(2);
    }

    @Test
    void nothingIsLostWhenTenThreadsCountAtOnce() throws InterruptedException {
        var begin = new CountDownLatch(1);
        try (var threads = Executors.newFixedThreadPool(10)) {
            for (var thread = 0; thread < 10; thread++) {
                threads.execute(() -> {
                    await(begin);
                    IntStream.range(0, 1_000).forEach(i -> metrics.ended("endpoint-" + i, Ending.SUCCESS, TOOK));
                });
            }
            begin.countDown();
        }

        var counted = registry.find(NAME).timers().stream()
                .mapToLong(timer -> timer.count())
                .sum();
        assertThat(counted).isEqualTo(10_000);
        assertThat(registry.find(NAME).timers()).hasSize(EndpointMetrics.MAX_ENDPOINTS + 1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
