package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.KnownVulnerabilities.Library;
import io.taskexec.testing.NotForBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

@NotForBinaries("it reads the list of libraries that Quarkus writes beside the packaged program")
class KnownVulnerabilitiesIT {
    private static final Path LIBRARIES = Path.of("target", "quarkus-app", "quarkus-app-dependencies.txt");

    @Test
    void noLibraryOfThePackagedProgramHasAKnownVulnerability() throws IOException {
        var libraries = Files.readAllLines(LIBRARIES).stream()
                .map(line -> line.split(":", -1))
                .map(parts -> new Library(parts[0] + ":" + parts[1], parts[parts.length - 1]))
                .toList();

        assertThat(libraries)
                .extracting(Library::name)
                .contains("io.netty:netty-codec-http", "org.postgresql:postgresql");
        assertThat(KnownVulnerabilities.read().complaints(libraries)).isEmpty();
    }
}
