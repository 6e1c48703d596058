package io.taskexec.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.Main;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.CommandSpec;

class ServerOptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "host:8080",
                "//host:8080",
                "ftp://host",
                "http://host:99999",
                "http://host?a=b",
                "http://host/#a",
                "http://me:hunter2@host",
                "http://me:hunter2/x@host",
                "me:hunter2@host",
            })
    void aUrlThatCannotWorkIsRefusedAndItsPasswordNotShown(String url) {
        var err = new StringWriter();
        var words = List.of("configs", "list", "--url", url);

        var code = Main.commandLine(words).setErr(new PrintWriter(err)).execute(words.toArray(String[]::new));

        assertThat(code).as(err.toString()).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString())
                .startsWith("--url, TE_URL or the url of the profile must be like http://127.0.0.1:8080")
                .doesNotContain("hunter2");
    }

    @Test
    void aUrlMayHaveAPath() {
        assertThat(ServerOptions.base(CommandSpec.create(), "--url", "https://host:8443/taskexec/"))
                .hasToString("https://host:8443/taskexec");
    }
}
