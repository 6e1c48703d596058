package io.taskexec.worker.pressure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.observe.metrics.Meters;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PressureTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final TestPressure source = new TestPressure();
    private final Pressure pressure = source.pressure();

    private int leastUrgentAt(double value) {
        var fresh = new TestPressure();
        fresh.settle(value);
        return fresh.pressure().leastUrgent();
    }

    @Test
    void withoutPressureTheLanesAreTheSameArray() {
        var lanes = IntStream.range(0, 128).boxed().toArray(Integer[]::new);

        assertThat(pressure.admitted(lanes)).isSameAs(lanes);
        source.settle(0.59);
        assertThat(pressure.admitted(lanes)).isSameAs(lanes);
    }

    @Test
    void eachLimitHoldsBackItsPriorities() {
        assertThat(leastUrgentAt(0.59)).isEqualTo(7);
        assertThat(leastUrgentAt(0.6)).isEqualTo(5);
        assertThat(leastUrgentAt(0.79)).isEqualTo(5);
        assertThat(leastUrgentAt(0.8)).isEqualTo(2);
        assertThat(leastUrgentAt(0.99)).isEqualTo(2);
        assertThat(leastUrgentAt(1)).isZero();
        assertThat(leastUrgentAt(17)).isZero();
        assertThat(leastUrgentAt(-1)).isEqualTo(7);
    }

    @Test
    void lanesOfHeldBackPrioritiesAreLeftOutInEveryQueueAndAlsoThoseOfFlowKeys() {
        source.settle(0.8);

        assertThat(pressure.admitted(new Integer[] {0, 2, 3, 7, 128, 130, 131, -(1 << 30), 3 - (1 << 30)}))
                .containsExactly(0, 2, 128, 130, -(1 << 30));
    }

    @Test
    void aSpikeHoldsNothingBack() {
        source.set(1);
        var _ = source.pass(SECOND);
        source.set(0);
        var _ = source.pass(SECOND);

        assertThat(pressure.leastUrgent()).isEqualTo(7);
    }

    @Test
    void whatIsHeldBackComesBackOnlyWhenThePressureIsClearlyUnderTheLimit() {
        source.settle(0.62);
        assertThat(pressure.leastUrgent()).isEqualTo(5);
        source.settle(0.56);
        assertThat(pressure.leastUrgent()).isEqualTo(5);
        source.settle(0.54);
        assertThat(pressure.leastUrgent()).isEqualTo(7);
        source.settle(0.58);
        assertThat(pressure.leastUrgent()).isEqualTo(7);
    }

    @Test
    void aFallThroughSeveralLimitsReleasesThoseThatItIsClearlyUnder() {
        source.settle(1);
        source.settle(0.78);
        assertThat(pressure.leastUrgent()).isEqualTo(2);
        source.settle(0.74);
        assertThat(pressure.leastUrgent()).isEqualTo(5);
        source.settle(0.2);
        assertThat(pressure.leastUrgent()).isEqualTo(7);
    }

    @Test
    void aSignalCountsAtOnceAndUntilItsTimeIsOver() {
        source.signal("billing", 0.9, Duration.ofSeconds(10));
        assertThat(source.pass(SECOND)).isFalse();
        assertThat(pressure.leastUrgent()).isEqualTo(2);

        assertThat(source.pass(Duration.ofSeconds(8))).isFalse();
        assertThat(pressure.leastUrgent()).isEqualTo(2);
        assertThat(source.pass(SECOND)).as("whether more may start").isTrue();
        assertThat(pressure.leastUrgent()).isEqualTo(7);
    }

    @Test
    void theHighestOfAllCounts() {
        source.signal("billing", 0.3, Duration.ofMinutes(10));
        source.settle(0.7);
        assertThat(pressure.leastUrgent()).isEqualTo(5);

        source.signal("billing", 1, Duration.ofMinutes(10));
        var _ = source.pass(SECOND);
        assertThat(pressure.leastUrgent()).isZero();
    }

    @Test
    void aSourceThatFailsDoesNotCount() {
        PressureSource broken = new PressureSource() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public double read() {
                throw new IllegalStateException("as expected");
            }
        };
        var both = new Pressure(List.of(broken, source), TestPressure.CONFIG, System::nanoTime);

        assertThat(both.look()).isFalse();
        assertThat(both.all()).containsOnlyKeys("test");
    }

    @Test
    void theLimitsAreSettings() {
        var policy = new PressurePolicy(new TestPressure.Config(30, 40, 50));

        assertThat(policy.leastUrgent(0.29, 7)).isEqualTo(7);
        assertThat(policy.leastUrgent(0.3, 7)).isEqualTo(5);
        assertThat(policy.leastUrgent(0.4, 7)).isEqualTo(2);
        assertThat(policy.leastUrgent(0.5, 7)).isZero();
    }

    @Test
    void metricsShowEachSourceWhileItCountsAndHowManyPrioritiesAreHeldBack() {
        var registry = new SimpleMeterRegistry();
        var metrics = new PressureMetrics(Meters.of(registry), pressure);
        source.signal("billing", 0.9, Duration.ofSeconds(10));
        var _ = source.pass(SECOND);
        metrics.show();

        assertThat(registry.get("taskexec.pressure")
                        .tag("source", "billing")
                        .gauge()
                        .value())
                .isEqualTo(0.9);
        assertThat(registry.get("taskexec.pressure.held.priorities").gauge().value())
                .isEqualTo(5);

        var _ = source.pass(Duration.ofSeconds(10));
        metrics.show();
        assertThat(registry.find("taskexec.pressure").tag("source", "billing").gauge())
                .isNull();
        assertThat(registry.get("taskexec.pressure")
                        .tag("source", "test")
                        .gauge()
                        .value())
                .isZero();
        assertThat(registry.get("taskexec.pressure.held.priorities").gauge().value())
                .isZero();
    }
}
