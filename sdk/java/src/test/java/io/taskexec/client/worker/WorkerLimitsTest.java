package io.taskexec.client.worker;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.Taskexec;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkerLimitsTest {
    private final WorkerBuilder worker = Worker.of(Taskexec.connect("http://127.0.0.1:1", "key"));

    @Test
    void aTimeThatTheServerRefusesIsRefusedAtOnce() {
        for (var time : Stream.of("PT4.999S", "PT1H0.001S", "PT6.0000001S", "-PT1M")
                .map(Duration::parse)
                .toList()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> worker.lease(time))
                    .withMessageContaining(time.toString());
        }
        worker.lease(Duration.ofSeconds(5)).lease(Duration.ofHours(1)).lease(Duration.ofMillis(5_001));
    }

    @Test
    void aNameThatTheServerRefusesIsRefusedAtOnce() {
        for (var name : new String[] {"", "  ", "x".repeat(129)}) {
            assertThatIllegalArgumentException().isThrownBy(() -> worker.name(name));
        }
        worker.name("x".repeat(128));
    }

    @Test
    void aWorkerOfMoreEndpointsThanARequestMayNameDoesNotStart() {
        for (var i = 0; i <= 100; i++) {
            var isOnCpu = i % 2 == 0;
            worker.handle("e" + i, String.class, (task, context) -> null, options -> {
                if (isOnCpu) {
                    options.onCpu();
                }
            });
        }

        assertThatThrownBy(worker::start).hasMessage("A worker has handlers for at most 100 endpoints: 101");
    }
}
