package io.taskexec.dispatch.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.dispatch.http.InvalidCallException;
import io.taskexec.model.delivery.HostAndPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisTargetTest {
    @Test
    void aUrlSaysWhereAndAsWhom() {
        assertThat(RedisTarget.of("redis://r")).isEqualTo(new RedisTarget(false, "r", 6379, null, null, 0));
        assertThat(RedisTarget.of("rediss://app:p%40ss+w%2Frd:x@[::1]:6380/15"))
                .isEqualTo(new RedisTarget(true, "::1", 6380, "app", "p@ss+w/rd:x", 15));
        assertThat(RedisTarget.of("redis://:secret@r:1/")).isEqualTo(new RedisTarget(false, "r", 1, null, "secret", 0));
        assertThat(RedisTarget.of("redis://app:@r")).isEqualTo(new RedisTarget(false, "r", 6379, "app", null, 0));
        assertThat(RedisTarget.of("redis://:@r")).isEqualTo(RedisTarget.of("redis://r"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "r:6379",
                "http://r",
                "redis://",
                "redis://secret@r",
                "redis://:secret@r@s",
                "redis://:secret@r/x",
                "redis://:secret@r:0",
                "redis://:secret@r?db=1",
                "redis://:sec ret@r",
                "redis://:sec%ret@r"
            })
    void anythingElseIsRefusedWithoutBeingShown(String url) {
        assertThatThrownBy(() -> RedisTarget.of(url))
                .isInstanceOf(InvalidCallException.class)
                .message()
                .doesNotContain("sec");
    }

    @Test
    void anotherNodeIsSpokenToAsTheSame() {
        assertThat(RedisTarget.of("rediss://a:b@r").at(new HostAndPort("s", 7)))
                .isEqualTo(new RedisTarget(true, "s", 7, "a", "b", 0));
    }

    @Test
    void itsTextHasNoPassword() {
        assertThat(RedisTarget.of("redis://a:secret@r:1")).hasToString("r:1");
        assertThat(RedisTarget.of("redis://[::1]:1")).hasToString("[::1]:1");
    }
}
