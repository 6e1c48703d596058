package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.NotForBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code OpenApiDocumentTest} has the rules for the document itself. */
class OpenApiIT {
    private static final Path BUILT = Path.of("target/openapi/openapi.json");

    @Test
    @NotForBinaries("a file that the build of the jar writes")
    void theCommittedDocumentIsTheOneOfThisBuild() throws IOException {
        assertThat(Files.readString(ApiDocument.COMMITTED)
                        .strip()
                        .equals(Files.readString(BUILT).strip()))
                .as(
                        "The API has changed. Look at the difference, then update the committed document: cp %s %s",
                        BUILT, ApiDocument.COMMITTED)
                .isTrue();
    }
}
