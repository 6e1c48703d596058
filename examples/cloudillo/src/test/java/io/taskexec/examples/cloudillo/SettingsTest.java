package io.taskexec.examples.cloudillo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    @Test
    void argumentsBecomeSettings() {
        var settings = Settings.parse(
                "--identity",
                "alice.example",
                "--port",
                "9001",
                "--data",
                "a",
                "--host",
                "b.example=http://127.0.0.1:2");

        assertThat(settings.identity()).isEqualTo("alice.example");
        assertThat(settings.address().getPort()).isEqualTo(9001);
        assertThat(settings.folder()).hasToString("a");
        assertThat(settings.hosts().known()).containsEntry("b.example", URI.create("http://127.0.0.1:2"));
    }

    @ParameterizedTest
    @CsvSource({
        "--identity Alice --port 1 --data a, no domain name",
        "--identity a.example --port x --data a, is a number",
        "--identity a.example --port 65536 --data a, from 0 to 65535",
        "--identity a.example --port 1, --data is missing",
        "--identity a.example --port 1 --data, --data needs a value",
        "--identity a.example --port 1 --data a --host b, --host is NAME=URL",
        "--name a.example, There is no option --name"
    })
    void badArgumentsAreExplained(String arguments, String message) {
        assertThatThrownBy(() -> Settings.parse(arguments.split(" ", -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
