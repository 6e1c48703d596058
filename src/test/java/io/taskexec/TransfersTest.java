package io.taskexec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.store.TransferException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransfersTest {
    @TempDir
    private Path folder;

    @Test
    void aFileIsOfItsOwnerAloneAndOneThatIsThereIsLeftAlone() throws IOException {
        var file = folder.resolve("all.ndjson");
        Transfers.write(file.toString(), out -> out.write("all".getBytes(UTF_8)));

        assertThat(file).hasContent("all");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThatThrownBy(() -> Transfers.write(file.toString(), out -> out.write(1)))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(file).hasContent("all");
    }

    @Test
    void aFileThatCannotBeWrittenToItsEndIsGoneAgain() {
        var file = folder.resolve("half.ndjson");

        assertThatThrownBy(() -> Transfers.write(file.toString(), out -> {
                    out.write(1);
                    throw new TransferException("The database cannot be read.");
                }))
                .isInstanceOf(TransferException.class);
        assertThat(file).doesNotExist();
    }
}
