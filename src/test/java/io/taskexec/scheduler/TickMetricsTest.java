package io.taskexec.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TickMetricsTest {
    private ScheduleBed bed;

    @BeforeEach
    void open() {
        bed = new ScheduleBed();
    }

    @AfterEach
    void close() {
        bed.close();
    }

    private double ticks(String outcome) {
        return bed.registry
                .get("taskexec.ticks")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    @Test
    void whatBecomesOfTicksIsCountedWithTheLatenessOfThoseThatFire() {
        var now = Instant.now();
        var _ = bed.every(Duration.ofHours(1))
                .catchUp(CatchUp.Mode.LATEST)
                .startsAt(now.minus(Duration.ofHours(10)))
                .due(now.minus(Duration.ofMinutes(150)));

        bed.runUntilNothingIsDue();

        assertThat(ticks("fired")).isEqualTo(1);
        assertThat(ticks("collapsed")).isPositive();
        var lateness = bed.registry.get("taskexec.tick.lateness").timer();
        assertThat(lateness.count()).isEqualTo(1);
        assertThat(lateness.totalTime(TimeUnit.HOURS)).isBetween(0.0, 1.1);
    }

    @Test
    void aTickThatWaitedForAnotherIsCountedWhenItFiresAndIsNotCalledLate() {
        var now = Instant.now();
        var job = bed.every(Duration.ofHours(1))
                .overlap(Overlap.BUFFER_ONE)
                .startsAt(now.minus(Duration.ofHours(10)))
                .due(now.minus(Duration.ofMinutes(90)));
        bed.runUntilNothingIsDue();
        var before = ticks("fired");
        var measured = bed.registry.get("taskexec.tick.lateness").timer().count();

        bed.endExecutions(job);
        var _ = bed.releaseBuffered();

        assertThat(ticks("fired")).isEqualTo(before + 1);
        assertThat(bed.registry.get("taskexec.tick.lateness").timer().count()).isEqualTo(measured);
    }
}
