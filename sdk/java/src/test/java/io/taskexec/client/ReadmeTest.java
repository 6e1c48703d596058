package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.client.worker.FakeTaskexec;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadmeTest {
    @Test
    void tenLinesAreEnoughForARunningHandler(@TempDir Path directory) throws Exception {
        assertThat(TenLines.source().lines().filter(line -> !line.isBlank())).hasSize(10);
        try (var server = new FakeTaskexec();
                var program = TenLines.start(directory, server.url(), "secret")) {
            assertThat(program.line()).isEqualTo("Hello, Ada");
            Eventually.until(() -> server.ended().size() == 1);
            assertThat(program.stop()).isTrue();
        }
    }
}
