package io.taskexec.examples.cloudillo.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.worker.PermanentException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreTest {
    /** The SHA-256 of "abc" (FIPS 180-2), in base64url. */
    private static final String ABC = "f1~ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";

    @TempDir
    private Path folder;

    private Blobs blobs;
    private Records records;

    @BeforeEach
    void open() throws IOException {
        blobs = new Blobs(folder);
        records = new Records(folder);
    }

    private Path file(String content) throws IOException {
        return Files.writeString(blobs.newFile(), content);
    }

    @Test
    void idsAreTheHashesOfContents() throws IOException {
        assertThat(ContentId.ofFile(file("abc"))).isEqualTo(ABC);
        assertThat(ContentId.ofToken("abc")).isEqualTo(ABC.replace("f1", "a1"));
        assertThat(ContentId.isFileId(ABC)).isTrue();
    }

    @Test
    void largeFilesAreReadPieceByPiece() throws IOException {
        var file = blobs.newFile();
        Files.write(file, new byte[1_000_003]);

        assertThat(ContentId.ofFile(file)).isEqualTo("f1~njwlQAFGq1oBNFcFoZFqLnakPEV4njjhRCD060fV44Q");
    }

    @Test
    void contentsAreMovedIntoTheStoreOnce() throws IOException {
        var first = file("abc");
        blobs.store(first, ABC);
        blobs.store(file("abc"), ABC);

        assertThat(first).doesNotExist();
        assertThat(blobs.has(ABC)).isTrue();
        assertThat(blobs.path(ABC)).hasContent("abc");
        assertThat(folder.resolve("incoming")).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "f1~", "f1~../../../../../../etc/passwd-aaaaaaaaaaaaaaaaaaaaaaa", "a1~x", "f1~abc"})
    void otherTextsAreNoPaths(String id) {
        assertThatThrownBy(() -> blobs.path(id))
                .isInstanceOfSatisfying(
                        PermanentException.class, e -> assertThat(e.code()).isEqualTo("INVALID_FILE_ID"));
    }

    @Test
    void moreBytesThanAllowedAreRefused() throws IOException {
        var file = blobs.newFile();
        Blobs.copy(new ByteArrayInputStream(new byte[10]), file, 10);

        assertThat(file).hasSize(10);
        assertThatThrownBy(() -> Blobs.copy(new ByteArrayInputStream(new byte[11]), file, 10))
                .isInstanceOf(PermanentException.class);
    }

    @Test
    void recordsAreReplacedAndListedByName() throws IOException {
        var one = new FileRecord(ABC, "one", "text/plain", 3);
        records.put("files", "b", one);
        records.put("files", "a", new FileRecord(ABC, "old", "text/plain", 3));
        records.put("files", "a", new FileRecord(ABC, "new", "text/plain", 3));

        assertThat(records.get("files", "b", FileRecord.class)).isEqualTo(one);
        assertThat(records.get("files", "c", FileRecord.class)).isNull();
        assertThat(records.all("files", FileRecord.class))
                .extracting(FileRecord::name)
                .containsExactly("new", "one");
        assertThat(records.all("others", FileRecord.class)).isEmpty();
        assertThatThrownBy(() -> records.get("files", "../a", FileRecord.class))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readersNeverSeeAPartOfARecord() throws Exception {
        records.put("files", "a", new FileRecord(ABC, "x", "text/plain", 0));
        var threads = Executors.newFixedThreadPool(2);
        try {
            var writer = threads.submit(() -> {
                for (var i = 0; i < 200; i++) {
                    records.put("files", "a", new FileRecord(ABC, "x".repeat(i * 50), "text/plain", i * 50L));
                }
                return true;
            });
            while (!writer.isDone()) {
                var read = records.get("files", "a", FileRecord.class);
                assertThat(read)
                        .isNotNull()
                        .satisfies(record -> assertThat(record.name().length()).isIn(List.of((int) record.bytes(), 1)));
            }
            assertThat(writer.get(1, TimeUnit.SECONDS)).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void secretsAreMadeOnceAndReadByTheirUserAlone() throws IOException {
        var file = folder.resolve("secret");

        assertThat(PrivateFile.open(file, () -> "one")).isEqualTo("one");
        assertThat(PrivateFile.open(file, () -> "two")).isEqualTo("one");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }
}
