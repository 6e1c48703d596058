package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.KnownVulnerabilities.Library;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownVulnerabilitiesTest {
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*<version>([^<]+)</version>");

    private static KnownVulnerabilities known = new KnownVulnerabilities(LocalDate.EPOCH, List.of());

    @BeforeAll
    static void read() throws IOException {
        known = KnownVulnerabilities.read();
        if (known.reviewed().isBefore(LocalDate.now(ZoneOffset.UTC).minusYears(1))) {
            // A build that fails with the calendar alone would be no help.
            System.err.println("WARNING: known-vulnerabilities.csv was last looked through on " + known.reviewed());
        }
    }

    @Test
    void noLibraryOfTheProgramAndItsTestsHasAKnownVulnerability() {
        var libraries = classPath()
                .flatMap(path -> Stream.ofNullable(known.ofFile(path)))
                .toList();

        assertThat(libraries)
                .extracting(Library::name)
                .contains("io.netty:netty-codec-http", "org.postgresql:postgresql");
        assertThat(known.complaints(libraries)).isEmpty();
    }

    /** It is no part of the build, so that its class path is not known here. */
    @Test
    void noLibraryThatTheLoadGeneratorNamesHasAKnownVulnerability() throws IOException {
        var pom = Files.readString(Path.of("bench", "pom.xml"));
        var versions = DEPENDENCY
                .matcher(pom)
                .results()
                .map(named -> new Library(named.group(1) + ":" + named.group(2), resolved(pom, named.group(3))))
                .toList();

        assertThat(versions)
                .extracting(Library::name)
                .contains("org.postgresql:postgresql", "org.apache.kafka:kafka-clients");
        assertThat(known.complaints(versions)).isEmpty();
    }

    /** The version, or the value of the property that stands for it. */
    private static String resolved(String pom, String version) {
        var name = version.replaceAll("^\\$\\{|}$", "");
        var value = Pattern.compile("<" + Pattern.quote(name) + ">([^<]+)</").matcher(pom);
        return value.find() ? value.group(1) : version;
    }

    @Test
    void aComplaintNamesTheLibraryItsVersionAndTheAdvisory() {
        var libraries = List.of(new Library("org.apache.kafka:kafka-clients", "4.1.1"));

        assertThat(known.complaints(libraries))
                .contains("org.apache.kafka:kafka-clients 4.1.1 has CVE-2026-35554"
                        + " (a record gets into another topic), fixed in 4.1.2");
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty:netty-codec-http,       4.1.130.Final, 9",
        "io.netty:netty-codec-http2,      4.1.130.Final, 3",
        "org.postgresql:postgresql,       42.7.10,       2",
        "org.apache.kafka:kafka-clients,  4.0.1,         1",
        "org.apache.kafka:kafka-clients,  4.2.0,         0",
        "io.micrometer:micrometer-core,   1.16.6,        0",
        "com.example:unknown,             0.0.1,         0"
    })
    void aVersionIsComparedWithEachRange(String name, String version, int complaints) {
        assertThat(known.complaints(List.of(new Library(name, version)))).hasSize(complaints);
    }

    @ParameterizedTest
    @CsvSource({
        "4.1.99.Final,  4.1.100.Final",
        "4.1.130.Final, 4.1.130.1",
        "1.5.6-10,      1.5.7-2",
        "1.5.7-2,       1.5.7-15",
        "1.0-alpha-2,   1.0-beta-1",
        "1.0-RC1,       1.0",
        "1.0-SNAPSHOT,  1.0",
        "1.0.Final,     1.0-sp1",
        "3.33.1,        3.33.1.1",
        "20230618,      20231013",
        "9.9,           42.7.11"
    })
    void versionsAreOrderedAsMavenOrdersThem(String older, String newer) {
        assertThat(MavenVersion.ORDER.compare(older, newer)).isNegative();
        assertThat(MavenVersion.ORDER.compare(newer, older)).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"1.0, 1", "1.0.Final, 1.0", "1.0-GA, 1.0.0", "6.8.2.RELEASE, 6.8.2"})
    void spellingsOfOneVersionAreEqual(String one, String other) {
        assertThat(MavenVersion.ORDER.compare(one, other)).isZero();
    }

    /** Of Maven's repository, with slashes on each system. */
    private static Stream<String> classPath() {
        var own = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", ""));
        return Pattern.compile(Pattern.quote(File.pathSeparator))
                .splitAsStream(own)
                .map(path -> path.replace(File.separatorChar, '/'));
    }
}
