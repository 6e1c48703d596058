package io.taskexec.client.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcReaderTest {
    @TempDir
    private Path directory = Path.of("");

    private Path proc() {
        return directory.resolve("proc");
    }

    private Path devices() {
        return directory.resolve("block");
    }

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(proc().resolve("net"));
        Files.createDirectories(devices().resolve("sda"));
        Files.createDirectories(devices().resolve("dm-0"));
    }

    @Test
    void countersOfLinuxAreRead() throws IOException {
        Files.writeString(proc().resolve("stat"), "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4\n");
        Files.writeString(proc().resolve("diskstats"), """
                   8       0 sda 10 0 200 5 20 0 400 6 0 0 0
                   8       1 sda1 10 0 200 5 20 0 400 6 0 0 0
                 253       0 dm-0 10 0 200 5 20 0 400 6 0 0 0
                """);
        Files.writeString(proc().resolve("net/dev"), """
                Inter-|   Receive                                                |  Transmit
                 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
                    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0
                  eth0: 1000 1 0 0 0 0 0 0 2000 1 0 0 0 0 0 0
                  eth1:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0
                """);
        var reader = new ProcReader(proc(), devices());

        assertThat(reader.read()).isEqualTo(new ResourceReader.Reading(0, 102_400, 204_800, 1_005, 2_006));

        // Of the next 100 ticks 60 were busy.
        Files.writeString(proc().resolve("stat"), "cpu  150 0 60 830 60 0 0 0 0 0\n");
        assertThat(reader.read().cpu()).isCloseTo(0.6, within(0.001));
    }

    @Test
    void whatAContainerHidesIsNotKnown() {
        assertThat(new ProcReader(proc(), devices()).read()).isEqualTo(new ResourceReader.Reading(0, -1, -1, -1, -1));
    }

    @Test
    void thisMachineIsRead() {
        var reader = ResourceReader.ofSystem();
        reader.read();

        assertThat(reader.read().cpu()).isBetween(0.0, 1.0);
        assertThat(new CpuReader().read().cpu()).isBetween(0.0, 1.0);
    }
}
