package io.taskexec.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    Path temporary;

    private Path path;

    @BeforeEach
    void aDirectoryThatDoesNotExist() {
        path = temporary.resolve("data");
    }

    @Test
    void itIsCreatedForItsOwnerOnly() throws IOException {
        try (var directory = DataDirectory.open(path)) {
            assertThat(mode(directory.path())).isEqualTo("rwx------");
        }
    }

    @Test
    void aKeyIsMadeOnceAndReadByItsOwnerOnly() throws IOException {
        try (var directory = DataDirectory.open(path)) {
            assertThat(directory.apiKey(() -> "first")).isEqualTo("first");
            assertThat(directory.apiKey(() -> "second")).isEqualTo("first");
            assertThat(directory.secretKey(() -> "other")).isEqualTo("other");
        }
        assertThat(path.resolve("api-key")).hasContent("first\n");
        assertThat(mode(path.resolve("api-key"))).isEqualTo("rw-------");
        assertThat(mode(path.resolve("secret-key"))).isEqualTo("rw-------");
    }

    @Test
    void aKeyIsKeptForTheNextOpen() {
        try (var directory = DataDirectory.open(path)) {
            assertThat(directory.secretKey(() -> "first")).isEqualTo("first");
        }
        try (var directory = DataDirectory.open(path)) {
            assertThat(directory.secretKey(() -> "second")).isEqualTo("first");
        }
    }

    @Test
    void anEmptyKeyFileIsNotReplacedSilently() throws IOException {
        try (var directory = DataDirectory.open(path)) {
            Files.createFile(path.resolve("secret-key"));

            assertThatThrownBy(() -> directory.secretKey(() -> "fresh"))
                    .isInstanceOf(EmbeddedDatabaseException.class)
                    .hasMessage("The file " + directory.path().resolve("secret-key")
                            + " is empty; put the key back or delete the file.");
        }
    }

    @Test
    void oneThatCannotBeUsedSaysWhy() throws IOException {
        var _ = Files.createDirectories(path.resolve("lock"));
        assertThatThrownBy(() -> DataDirectory.open(path).close())
                .isInstanceOf(EmbeddedDatabaseException.class)
                .hasMessageStartingWith("The data directory " + path + " cannot be used: ");

        var _ = Files.createDirectory(path.resolve("secret-key"));
        assertThatThrownBy(() -> DataDirectory.secretKeyIn(path))
                .isInstanceOf(EmbeddedDatabaseException.class)
                .hasMessageStartingWith("The key file " + path.resolve("secret-key") + " cannot be read or written: ");
    }

    @Test
    void anotherProcessIsToldWhoHoldsIt() throws IOException {
        var program = Program.start(path);
        try {
            assertThatThrownBy(() -> DataDirectory.open(path).close())
                    .isInstanceOf(DataDirectoryInUseException.class)
                    .hasMessage(
                            "The data directory %s is in use by another taskexec dev (pid %d).", path, program.pid());
        } finally {
            program.terminate();
        }
        DataDirectory.open(path).close();
    }

    @Test
    void aSecondOpenInTheSameProcessIsRefusedAndTheFirstKeepsItsLock() throws IOException {
        try (var _ = DataDirectory.open(path)) {
            assertThatThrownBy(() -> DataDirectory.open(path).close()).isInstanceOf(DataDirectoryInUseException.class);

            assertThatThrownBy(() -> Program.start(path)).hasMessageContaining("did not start");
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
