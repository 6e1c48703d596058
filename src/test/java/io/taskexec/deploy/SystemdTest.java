package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The unit of a release. */
class SystemdTest {
    private static final String UNIT = TestFiles.text(Path.of("deploy/release/systemd/taskexec@.service"));
    private static final String SETTINGS = TestFiles.text(Path.of("deploy/release/systemd/taskexec.env"));
    private static final int DRAINING_SEC = 30 + 20 + 5;

    /**
     * Commas in the name of a unit are escaped; only a capital I stands for the name without escapes (systemd.unit(5)).
     */
    @Test
    void itRunsTheRolesThatItsNameSaysWithTheSettingsOfTheMachine() {
        assertThat(UNIT)
                .contains(
                        "ExecStart=/opt/taskexec/bin/taskexec serve --roles=%I\n",
                        "EnvironmentFile=/etc/taskexec/taskexec.env\n", "EnvironmentFile=-/etc/taskexec/%I.env\n");
    }

    @Test
    void theProcessHasNoRightsThatItDoesNotNeed() {
        for (var line : List.of(
                "DynamicUser=yes",
                "NoNewPrivileges=yes",
                "ProtectSystem=strict",
                "ProtectHome=yes",
                "PrivateTmp=yes",
                "PrivateDevices=yes",
                "CapabilityBoundingSet=",
                "RestrictNamespaces=yes",
                "SystemCallFilter=@system-service")) {
            assertThat(UNIT).contains("\n" + line + "\n");
        }
        // A JVM makes code while it runs.
        assertThat(UNIT).doesNotContain("MemoryDenyWriteExecute=");
    }

    @Test
    void itIsGivenTheTimeToDrain() {
        var found = Pattern.compile("TimeoutStopSec=(\\d+)").matcher(UNIT);

        assertThat(found.find()).isTrue();
        assertThat(Integer.parseInt(found.group(1))).isGreaterThanOrEqualTo(DRAINING_SEC);
        assertThat(UNIT).contains("SuccessExitStatus=143");
    }

    @Test
    void everySettingExistsAndNoSecretIsWrittenDown() {
        var configuration = TestFiles.text(Path.of("docs/configuration.md"));

        assertThat(SETTINGS.lines().filter(line -> line.startsWith("TE_")))
                .isNotEmpty()
                .allSatisfy(
                        line -> assertThat(configuration).contains("`" + line.substring(0, line.indexOf('=')) + "`"));
        assertThat(SETTINGS).contains("TE_API_KEY=\n", "TE_SECRET_ENCRYPTION_KEY=\n");
    }
}
