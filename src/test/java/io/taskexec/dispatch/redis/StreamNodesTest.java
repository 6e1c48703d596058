package io.taskexec.dispatch.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.HostAndPort;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamNodesTest {
    private static final RedisTarget TARGET = RedisTarget.of("rediss://a:b@r.example:7000");

    private final StreamNodes nodes = new StreamNodes();

    @ParameterizedTest
    @CsvSource({
        "MOVED 1 10.0.0.1:6379, 10.0.0.1, 6379",
        "MOVED 1 node-1.example:65535, node-1.example, 65535",
        "MOVED 16383 2001:db8::1:6379, 2001:db8::1, 6379",
        "MOVED 1 :6379, r.example, 6379"
    })
    void theNodeOfARedirectionIsTheOneToAskFirstFromNowOn(String redirection, String host, int port) {
        var node = TARGET.at(new HostAndPort(host, port));

        assertThat(nodes.learn(TARGET, "s", TARGET, redirection)).isEqualTo(node);
        assertThat(nodes.find(TARGET, "s")).isEqualTo(node);
    }

    @Test
    void whatCanBeNoNodeIsNotFollowed() {
        for (var answer : List.of(
                "ERR no",
                "MOVED 1 h",
                "MOVED 1 a\u0000b:6379",
                "MOVED 1 \u001fh:6379",
                "MOVED 1 a,b:6379",
                "MOVED 1 ?:6379",
                "MOVED 1 h:0",
                "MOVED 1 h:65536",
                "MOVED 1 " + "h".repeat(256) + ":6379")) {
            assertThat(nodes.learn(TARGET, "s", TARGET, answer)).isNull();
        }
        assertThat(nodes.find(TARGET, "s")).isEqualTo(TARGET);
    }
}
