package io.taskexec.client.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ThrottleTest {
    private double cpu;
    private double other;
    private final Throttle throttle = new Throttle(List.of(() -> cpu, () -> other));

    private int leastUrgentAt(double pressure) {
        cpu = pressure;
        return throttle.leastUrgent();
    }

    @Test
    void pressureHoldsLessUrgentPrioritiesBack() {
        assertThat(leastUrgentAt(0.59)).isEqualTo(7);
        assertThat(leastUrgentAt(0.6)).isEqualTo(5);
        assertThat(leastUrgentAt(0.8)).isEqualTo(2);
        assertThat(leastUrgentAt(1)).isZero();
    }

    @Test
    void aPriorityComesBackALittleUnderItsLimit() {
        assertThat(leastUrgentAt(0.8)).isEqualTo(2);
        assertThat(leastUrgentAt(0.76)).isEqualTo(2);
        assertThat(leastUrgentAt(0.74)).isEqualTo(5);
        assertThat(leastUrgentAt(0.56)).isEqualTo(5);
        assertThat(leastUrgentAt(0.5)).isEqualTo(7);
    }

    @Test
    void aSourceThatFailsCountsForNothing() {
        var broken = new Throttle(List.of(
                () -> {
                    throw new IllegalStateException("no measure");
                },
                () -> other));

        assertThat(broken.leastUrgent()).isEqualTo(Throttle.ALL);
        other = 0.8;
        assertThat(broken.leastUrgent()).isEqualTo(2);
    }

    @Test
    void theHighestSourceCounts() {
        other = 1;
        assertThat(leastUrgentAt(0)).isZero();
        assertThat(new Throttle(List.of()).leastUrgent()).isEqualTo(Throttle.ALL);
    }
}
