package io.taskexec.model.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginTest {
    @ParameterizedTest
    @CsvSource({
        "https://a.example/b?c,         https://a.example:443",
        "HTTP://A.Example:81,           http://a.example:81",
        "http://[::1]/,                 http://[::1]:80",
        "http://my_service/status/1,    http://my_service:80",
        "http://My_Service:8080,        http://my_service:8080",
        "https://b\u00fccher.example,   https://xn--bcher-kva.example:443"
    })
    void itIsSchemeHostAndPort(String url, String origin) {
        assertThat(Origin.of(URI.create(url))).hasToString(origin);
        assertThat(Origin.of(URI.create(origin))).isEqualTo(Origin.of(URI.create(url)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a",
                "//a",
                "mailto:a@b",
                "file:///a",
                "http://me@my_service/",
                "http://my_service:x/",
                "http://b%C3%BCcher/"
            })
    void aUrlThatHasNoneIsRefused(String url) {
        assertThatIllegalArgumentException().isThrownBy(() -> Origin.of(URI.create(url)));
    }
}
