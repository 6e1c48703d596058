package io.taskexec.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.cli.WatchLoop.Look;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class WatchLoopTest {
    private static final Look GOOD = () -> {};
    private static final Look END = () -> {
        throw new InterruptedException();
    };

    private final StringWriter said = new StringWriter();

    private static Look refused(int status) {
        return () -> {
            throw RefusedException.of(status, JsonNodeFactory.instance.objectNode());
        };
    }

    private static Look broken(String message) {
        return () -> {
            throw new IOException(message);
        };
    }

    private int watch(Look... looks) throws Exception {
        var next = new ArrayDeque<>(Arrays.asList(looks));
        return new WatchLoop(Duration.ZERO, new PrintWriter(new StringWriter()), new PrintWriter(said))
                .run(() -> next.removeFirst().look());
    }

    @Test
    void aServerThatIsAwayForAWhileIsNoEndAndIsToldOfOnce() throws Exception {
        assertThat(watch(GOOD, refused(503), refused(503), refused(429), broken("gone"), broken("gone"), GOOD, END))
                .isEqualTo(ExitCode.DONE);

        assertThat(said.toString().lines())
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).endsWith("Trying again."));
    }

    @Test
    void theSameTroubleIsToldOfAgainWhenItComesBack() throws Exception {
        assertThat(watch(GOOD, broken("gone"), GOOD, broken("gone"), END)).isEqualTo(ExitCode.DONE);

        assertThat(said.toString().lines()).hasSize(2);
    }

    @Test
    void whatNeverWorkedEndsIt() {
        assertThatThrownBy(() -> watch(broken("nobody"), END)).hasMessage("nobody");
        assertThatThrownBy(() -> watch(refused(503), END)).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> watch(GOOD, refused(404), END)).isInstanceOf(RefusedException.class);
    }

    @Test
    void aRequestThatIsInterruptedIsTheEndThatWasAskedFor() throws Exception {
        assertThat(watch(GOOD, () -> {
                    throw new IOException(new InterruptedException());
                }))
                .isEqualTo(ExitCode.DONE);
    }
}
