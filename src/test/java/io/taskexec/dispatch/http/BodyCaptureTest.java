package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BodyCaptureTest {
    private final BodyCapture body = new BodyCapture();

    @Test
    void keepsEverythingUpToTheLimit() {
        body.add(Buffer.buffer("a".repeat(BodyCapture.LIMIT - 1)));
        body.add(Buffer.buffer("b"));
        assertThat(body.isTruncated()).isFalse();
        assertThat(body.text()).hasSize(BodyCapture.LIMIT).endsWith("ab");
    }

    @Test
    void dropsWhatIsOver() {
        body.add(Buffer.buffer("a".repeat(BodyCapture.LIMIT)));
        body.add(Buffer.buffer("b"));
        assertThat(body.isTruncated()).isTrue();
        assertThat(body.text()).hasSize(BodyCapture.LIMIT).doesNotContain("b");
    }

    @Test
    void leavesOutACharacterThatTheLimitCuts() {
        body.add(Buffer.buffer("a".repeat(BodyCapture.LIMIT - 1) + "é"));
        assertThat(body.text()).hasSize(BodyCapture.LIMIT - 1).doesNotContain("\ufffd");
    }

    @Test
    void partsMayCutCharacters() {
        var bytes = "€".getBytes(StandardCharsets.UTF_8);
        for (var each : bytes) {
            body.add(Buffer.buffer(new byte[] {each}));
        }
        assertThat(body.text()).isEqualTo("€");
    }

    @Test
    void becomesTextThatADatabaseTakes() {
        body.add(Buffer.buffer(new byte[] {'a', 0, 'b', (byte) 0xff, 'c', (byte) 0xe2, (byte) 0x82}));
        assertThat(body.text()).isEqualTo("a\ufffdb\ufffdc\ufffd");
    }

    @Test
    void isEmptyAtFirst() {
        assertThat(body.text()).isEmpty();
    }
}
