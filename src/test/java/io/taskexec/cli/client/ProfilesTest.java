package io.taskexec.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.cli.text.MalformedTextException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilesTest {
    private static final String FILE = """
            default: local
            profiles:
              local:
                url: http://127.0.0.1:8080
                token: te_local
              staging:
                url: https://staging.example.org
                token: te_staging
            """;

    @TempDir
    private Path folder;

    private Profiles profiles(String text, String mode) throws Exception {
        var file = Files.writeString(folder.resolve("config.yaml"), text);
        var _ = Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return Profiles.read(file);
    }

    private Profiles profiles() throws Exception {
        return profiles(FILE, "rw-------");
    }

    @Test
    void theDefaultIsForWhenNothingElseIsSaid() throws Exception {
        var target = profiles().target(null, null, Map.of());

        assertThat(target.url()).isEqualTo("http://127.0.0.1:8080");
        assertThat(target.token()).isEqualTo("te_local");
    }

    @Test
    void aProfileThatIsChosenComesBeforeTheVariables() throws Exception {
        var environment = Map.of("TE_URL", "http://other", "TE_TOKEN", "te_other", "TE_PROFILE", "staging");

        assertThat(profiles().target(null, null, environment).token()).isEqualTo("te_staging");
        assertThat(profiles().target(null, "local", environment).token()).isEqualTo("te_local");
    }

    @Test
    void theKeyOfTheDefaultProfileDoesNotGoToAServerThatWasNamedOtherwise() throws Exception {
        assertThat(profiles().target("http://other", null, Map.of()).token()).isNull();
        assertThat(profiles()
                        .target(null, null, Map.of("TE_URL", "http://other"))
                        .token())
                .isNull();
        assertThat(profiles().target(null, null, Map.of("TE_TOKEN", "te_mine")).url())
                .isEqualTo(ServerTarget.DEFAULT_URL);
    }

    @Test
    void withoutAFileThereAreTheVariablesAndTheUsualAddress() throws Exception {
        var profiles = Profiles.ofUser(Map.of("HOME", folder.toString()));

        assertThat(profiles.target(null, null, Map.of("TE_TOKEN", "te_mine")))
                .isEqualTo(new ServerTarget("http://127.0.0.1:8080", "te_mine", null));
    }

    @Test
    void aFileWithKeysThatOthersMayReadIsRefused() {
        assertThatThrownBy(() -> profiles(FILE, "rw-r--r--"))
                .isInstanceOf(MalformedTextException.class)
                .hasMessageContaining("chmod 600");
    }

    @Test
    void aFileWithoutKeysMayBeReadByAll() throws Exception {
        var profiles = profiles("profiles: {a: {url: 'http://a', token_file: /key}}", "rw-r--r--");

        assertThat(profiles.target(null, "a", Map.of()).tokenFile()).isEqualTo(Path.of("/key"));
    }

    @Test
    void whatIsWrongIsSaidWithItsLineAndWithoutTheKey() {
        assertThatThrownBy(() -> profiles(FILE.replace("    token: te_staging", "    tokn: te_staging"), "rw-------"))
                .hasMessageContaining("config.yaml:8: Unknown field 'tokn'")
                .hasMessageNotContaining("te_staging");
        assertThatThrownBy(() -> profiles().target(null, "prod", Map.of()))
                .hasMessageContaining("There is no profile 'prod'");
    }
}
