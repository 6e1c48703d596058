package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpTargetTest {
    @ParameterizedTest
    @CsvSource({
        "http://hooks.example, false, hooks.example, 80, /",
        "https://hooks.example/a/b?c=d&e, true, hooks.example, 443, /a/b?c=d&e",
        "HTTPS://hooks.example:8443?x, true, hooks.example, 8443, /?x",
        "http://my_service:8080/, false, my_service, 8080, /",
        "http://[2606:4700::1111]:81/x, false, 2606:4700::1111, 81, /x",
        "http://10.0.0.1/x#part, false, 10.0.0.1, 80, /x",
        "http://müller.example/ü?q=ü, false, xn--mller-kva.example, 80, /%C3%BC?q=%C3%BC",
        "http://hooks.example/a%20b%2f, false, hooks.example, 80, /a%20b%2f"
    })
    void takesUrlsApart(String url, boolean tls, String host, int port, String path) {
        assertThat(HttpTarget.of(URI.create(url))).isEqualTo(new HttpTarget(tls, host, port, path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://hooks.example/",
                "file:///etc/passwd",
                "mailto:a@b.example",
                "/relative",
                "http:/no-host",
                "http:opaque",
                "http://user@hooks.example/",
                "http://user:secret@hooks.example/",
                "http://hooks.example:0/",
                "http://hooks.example:65536/",
                "http://hooks.example:/x",
                "http://[fe80::1%25eth0]/",
                "http://a%2eb/"
            })
    void refusesWhatIsNoTarget(String url) {
        assertThatThrownBy(() -> HttpTarget.of(URI.create(url)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageStartingWith("The URL")
                .hasMessageNotContaining("secret");
    }

    @Test
    void showsItselfAsInAUrl() {
        assertThat(HttpTarget.of(URI.create("http://[::1]/")).authority()).isEqualTo("[::1]:80");
        assertThat(HttpTarget.of(URI.create("https://a.example/")).authority()).isEqualTo("a.example:443");
    }
}
