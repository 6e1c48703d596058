package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyExclusionsTest {
    @ParameterizedTest
    @CsvSource({
        "example.org,    example.org,       true",
        "example.org,    api.example.org,   true",
        "example.org,    API.Example.ORG.,  true",
        "example.org,    badexample.org,    false",
        ".example.org,   api.example.org,   true",
        ".example.org,   example.org,       false",
        "10.0.0.0/8,     10.1.2.3,          true",
        "10.0.0.0/8,     11.1.2.3,          false",
        "10.1.2.3,       10.1.2.3,          true",
        "fd00::/8,       fd12::1,           true",
        "::1,            0:0:0:0:0:0:0:1,   true",
        "127.0.0.0/8,    2130706433,        true",
        "127.0.0.0/8,    localhost,         false",
        "*,              anything,          true"
    })
    void saysWhatIsCalledDirectly(String entry, String host, boolean direct) {
        assertThat(new ProxyExclusions(List.of("other.example", entry)).contains(host))
                .isEqualTo(direct);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0/99", "host:8080", "*.example.org", "a b", "http://a/", "10"})
    void whatItCannotMeanIsRefused(String entry) {
        assertThatThrownBy(() -> new ProxyExclusions(List.of(entry)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(entry);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "proxy:3128",
                "https://proxy:3128",
                "http://proxy",
                "http://proxy:0",
                "http://proxy:70000",
                "http://proxy:3128/path",
                "http://proxy:3128?q",
                "http://sesame@proxy:3128",
                "http://user:sesame@@proxy:3128",
                "http://user:sesame%zz@proxy:3128"
            })
    void whatIsNoProxyIsRefusedWithoutItsPassword(String url) {
        assertThatThrownBy(() -> HttpProxy.of(TestHttp.DEFAULT.through(url)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://user:password@host:port")
                .hasMessageNotContaining("sesame");
    }

    @Test
    void aProxyMayDemandAUserWithAnyCharacters() {
        var proxy = HttpProxy.of(TestHttp.DEFAULT.through("http://us%40er:p%3A+ss@[::1]:3128/"));
        var way = Objects.requireNonNull(proxy.orElseThrow().wayTo(new HttpTarget(false, "a.example", 80, "/")));
        assertThat(way.getUsername()).isEqualTo("us@er");
        assertThat(way.getPassword()).isEqualTo("p:+ss");
        assertThat(way.getHost()).isEqualTo("::1");
        assertThat(way.getPort()).isEqualTo(3128);
        assertThat(HttpProxy.of(TestHttp.DEFAULT)).isEqualTo(Optional.empty());
    }
}
