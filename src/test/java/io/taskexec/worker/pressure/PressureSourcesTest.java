package io.taskexec.worker.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.taskexec.worker.pressure.MemoryPressure.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sources with readings and a clock of the test. */
class PressureSourcesTest {
    private static final Offset<Double> CLOSE = within(0.001);

    private final AtomicLong clock = new AtomicLong(1);
    private Memory memory = new Memory(0, 0, 0);

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void aProcessThatUsesAllProcessorsAloneHoldsNothingBackByDefault() {
        var processors = Runtime.getRuntime().availableProcessors();
        var used = new AtomicLong();
        var cpu = new CpuPressure(TestPressure.CONFIG.cpuPercent() / 100.0, clock::get, used::get);

        pass(Duration.ofSeconds(1));
        used.addAndGet(Duration.ofSeconds(processors).toNanos());
        assertThat(cpu.read()).isCloseTo(0.59, CLOSE);

        pass(Duration.ofSeconds(1));
        used.addAndGet(Duration.ofMillis(500L * processors).toNanos());
        assertThat(cpu.read()).isCloseTo(0.295, CLOSE);

        pass(Duration.ofSeconds(1));
        assertThat(cpu.read()).isZero();
    }

    @Test
    void theProcessorTimeOfThisProcessIsKnown() {
        var used = ProcessHandle.current().info().totalCpuDuration();

        assertThat(used).isPresent();
        assertThat(new CpuPressure(TestPressure.CONFIG).read()).isBetween(0.0, 0.59);
    }

    @Test
    void theHeapCountsByWhatACollectionLeaves() {
        var source = new MemoryPressure(0.7, clock::get, () -> memory);

        memory = new Memory(1, 0.6, 0);
        assertThat(source.read()).isZero();
        memory = new Memory(2, 0.85, 0);
        assertThat(source.read()).isCloseTo(0.5, CLOSE);
        memory = new Memory(3, 1, 0);
        assertThat(source.read()).isCloseTo(1, CLOSE);
    }

    @Test
    void aHeapThatIsNotCollectedAnyMoreIsNotShort() {
        var source = new MemoryPressure(0.7, clock::get, () -> memory);
        memory = new Memory(1, 0.95, 0);
        assertThat(source.read()).isGreaterThan(0.8);

        pass(MemoryPressure.QUIET.plusSeconds(1));
        assertThat(source.read()).isZero();

        memory = new Memory(2, 0.95, 0);
        assertThat(source.read()).isGreaterThan(0.8);
    }

    @Test
    void aContainerCountsNearItsLimitAlone() {
        var source = new MemoryPressure(0.7, clock::get, () -> memory);

        memory = new Memory(0, 0, 0.9);
        assertThat(source.read()).isZero();
        memory = new Memory(0, 0, 0.96);
        assertThat(source.read()).isCloseTo(0.6, CLOSE);
    }

    @Test
    void theMemoryOfAContainerIsWhatItCannotGiveUp(@TempDir Path cgroup) throws IOException {
        Files.writeString(cgroup.resolve("memory.current"), "900\n");
        Files.writeString(cgroup.resolve("memory.stat"), "anon 500\ninactive_file 400\nactive_file 0\n");
        Files.writeString(cgroup.resolve("memory.max"), "1000\n");
        var readings = new MemoryReadings(cgroup);
        assertThat(readings.get().container()).isCloseTo(0.5, CLOSE);

        Files.writeString(cgroup.resolve("memory.max"), "max\n");
        assertThat(readings.get().container()).isZero();
        assertThat(new MemoryReadings(cgroup.resolve("missing")).get().container())
                .isZero();
        assertThat(readings.get().heap()).isBetween(0.0, 1.0);
    }

    @Test
    void anEventLoopCountsByTheTimeThatItLetsWorkWait() {
        var queue = new ArrayDeque<Runnable>();
        var source = new EventLoopPressure(Duration.ofSeconds(1), clock::get, List.of(queue::add, Runnable::run));
        assertThat(source.read()).isZero();

        pass(Duration.ofMillis(300));
        queue.remove().run();
        pass(Duration.ofMillis(700));
        assertThat(source.read()).isCloseTo(0.3, CLOSE);

        pass(Duration.ofSeconds(1));
        assertThat(source.read()).as("what still waits").isCloseTo(1, CLOSE);
    }

    @Test
    void theDatabaseCountsByTheTimeThatItTakesToAnswerAlsoWhileItHasNot() {
        var source = new DatabasePressure(Duration.ofMillis(2_500), clock::get);
        source.asked();
        pass(Duration.ofMillis(250));
        source.answered();
        assertThat(source.read()).isCloseTo(0.1, CLOSE);

        source.asked();
        pass(Duration.ofSeconds(2));
        assertThat(source.read()).isCloseTo(0.8, CLOSE);
        source.answered();
        assertThat(source.read()).isCloseTo(0.8, CLOSE);

        source.asked();
        source.answered();
        assertThat(source.read()).isZero();
    }
}
