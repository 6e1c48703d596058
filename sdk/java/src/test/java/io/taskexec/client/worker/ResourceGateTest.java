package io.taskexec.client.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ResourceGateTest {
    private static final long MB = 1_000_000;

    /** Resources that do what a test says, each second. */
    private static final class Synthetic implements ResourceReader {
        private double cpu;
        private long diskRead;
        private long diskWritten;
        private long received;
        private long now;

        @Override
        public Reading read() {
            return new Reading(cpu, diskRead, diskWritten, received, -1);
        }

        void pass(ResourceMonitor monitor, int seconds, long readPerSec, long writtenPerSec, long receivedPerSec) {
            for (var i = 0; i < seconds; i++) {
                now += Duration.ofSeconds(1).toNanos();
                diskRead += readPerSec;
                diskWritten += writtenPerSec;
                received += receivedPerSec;
                monitor.sample();
            }
        }
    }

    private final Synthetic resources = new Synthetic();
    private final ResourceMonitor monitor = new ResourceMonitor(resources, () -> resources.now);
    private final ResourceGate gate = new ResourceGate(monitor);

    @Test
    void aMomentCountsForAboutTwoSeconds() {
        monitor.sample();
        resources.pass(monitor, 60, 100 * MB, 0, 0);
        assertThat(monitor.rates().diskRead()).isCloseTo(100e6, within(1.0));

        resources.pass(monitor, 2, 0, 0, 0);
        assertThat(monitor.rates().diskRead()).isCloseTo(100e6 / Math.E, within(1e3));
        assertThat(monitor.rates().sent()).isEqualTo(-1);
    }

    @Test
    void tasksBeginWhileTheyExpectEightyPercentOfTwoSeconds() {
        monitor.sample();
        resources.pass(monitor, 60, 100 * MB, 10 * MB, 0);

        // 160 MB of reading, 16 MB of writing.
        assertThat(gate.tryEnter(Footprint.disk(100 * MB, 0))).isTrue();
        assertThat(gate.tryEnter(Footprint.disk(59 * MB, 15 * MB))).isTrue();
        assertThat(gate.tryEnter(Footprint.disk(2 * MB, 0))).isFalse();
        assertThat(gate.tryEnter(Footprint.disk(0, 2 * MB))).isFalse();
        // What a task does not use holds it not back.
        assertThat(gate.tryEnter(Footprint.disk(0, MB / 2))).isTrue();

        gate.leave(Footprint.disk(100 * MB, 0));
        assertThat(gate.tryEnter(Footprint.disk(2 * MB, 0))).isTrue();
    }

    @Test
    void theNetworkIsLimitedAndWhatIsNotKnownIsNot() {
        monitor.sample();
        resources.pass(monitor, 60, 0, 0, 10 * MB);

        assertThat(gate.tryEnter(Footprint.network(15 * MB, 0))).isTrue();
        assertThat(gate.tryEnter(Footprint.network(2 * MB, 0))).isFalse();
        assertThat(gate.tryEnter(Footprint.network(0, 1_000 * MB))).isTrue();
    }

    @Test
    void oneTaskMayAlwaysRunSoThatThereIsSomethingToMeasure() {
        monitor.sample();
        resources.pass(monitor, 60, 0, 0, 0);
        var large = Footprint.disk(1_000 * MB, 0);

        assertThat(gate.tryEnter(large)).isTrue();
        assertThat(gate.tryEnter(Footprint.disk(1, 0))).isFalse();

        resources.pass(monitor, 10, 800 * MB, 0, 0);
        assertThat(gate.tryEnter(Footprint.disk(100 * MB, 0))).isTrue();

        gate.leave(large);
        gate.leave(Footprint.disk(100 * MB, 0));
        resources.cpu = 1;
        resources.pass(monitor, 10, 0, 0, 0);
        assertThat(gate.tryEnter(large)).isTrue();
    }

    @Test
    void nothingMoreBeginsWhileEightyPercentOfTheProcessorsAreInUse() {
        monitor.sample();
        resources.cpu = 0.9;
        resources.pass(monitor, 10, 100 * MB, 0, 0);
        assertThat(gate.tryEnter(Footprint.NONE)).isTrue();
        assertThat(gate.tryEnter(Footprint.disk(1, 0))).isFalse();

        resources.cpu = 0.2;
        resources.pass(monitor, 10, 100 * MB, 0, 0);
        assertThat(gate.tryEnter(Footprint.disk(1, 0))).isTrue();
    }

    @Test
    void beforeAnythingWasMeasuredTasksBeginOneAfterTheOther() {
        assertThat(gate.tryEnter(Footprint.disk(1, 0))).isTrue();
        assertThat(gate.tryEnter(Footprint.disk(1, 0))).isFalse();
    }

    @Test
    void footprintsWhoseSumCannotBeCountedHaveNoRoom() {
        var endless = Footprint.network(0, Long.MAX_VALUE);

        assertThat(gate.tryEnter(endless)).isTrue();
        assertThat(gate.tryEnter(endless)).isFalse();

        gate.leave(endless);
        assertThat(gate.tryEnter(endless)).isTrue();
    }

    @Test
    void aReaderThatFailsHoldsNothingBack() {
        var time = new AtomicLong();
        var broken = new ResourceMonitor(
                () -> {
                    throw new IllegalStateException("gone");
                },
                time::incrementAndGet);
        broken.sample();
        broken.sample();
        var open = new ResourceGate(broken);

        assertThat(open.tryEnter(Footprint.disk(1_000 * MB, 0))).isTrue();
        assertThat(open.tryEnter(Footprint.disk(1_000 * MB, 0))).isTrue();
    }
}
