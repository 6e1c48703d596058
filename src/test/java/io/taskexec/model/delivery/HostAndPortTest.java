package io.taskexec.model.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {
    @Test
    void aListIsSeparatedByCommas() {
        assertThat(HostAndPort.ofList("kafka-1:9092, 10.0.0.1:1,[::1]:65535"))
                .containsExactly(
                        new HostAndPort("kafka-1", 9092),
                        new HostAndPort("10.0.0.1", 1),
                        new HostAndPort("::1", 65_535));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ",", "a", "a:", ":1", "a:0", "a:65536", "a:123456", "a:1,,b:1", "a b:1", "::1:1", "a:1/x"})
    void anythingElseIsNoList(String text) {
        assertThat(HostAndPort.ofList(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "redis://redis-cluster:6379, redis-cluster, 6379",
        "redis://r, r, 6379",
        "redis://r/, r, 6379",
        "rediss://user:a:b@r:1/15, r, 1",
        "redis://:secret@[::1]/0, ::1, 6379"
    })
    void aRedisUrlNamesItsHost(String url, String host, int port) {
        assertThat(HostAndPort.ofRedisUrl(url)).isEqualTo(new HostAndPort(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:r",
                "redis://",
                "redis://a@b@c",
                "redis://a@b",
                "redis:///0",
                "redis://r:0",
                "redis://r/a",
                "tcp://r:1"
            })
    void anythingElseIsNoRedisUrl(String url) {
        assertThat(HostAndPort.ofRedisUrl(url)).isNull();
    }
}
