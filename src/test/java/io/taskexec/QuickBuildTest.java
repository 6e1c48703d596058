package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/** Checks that the build of ./taskexec leaves out what users need not wait for. */
class QuickBuildTest {
    private static final String QUICK = "/project/profiles/profile[id='quick']";
    private static final String COMPILER = "plugin[artifactId='maven-compiler-plugin']/configuration/";

    private static String value(String path) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        Document pom = factory.newDocumentBuilder().parse(Path.of("pom.xml").toFile());
        return XPathFactory.newInstance().newXPath().evaluate(path, pom).strip();
    }

    @Test
    void settingsOfTheUserDoNotReachTheProgram(@TempDir Path dir) throws Exception {
        var maven = Files.createDirectories(dir.resolve("maven/bin")).resolve("mvn");
        Files.writeString(maven, "#!/bin/sh\nenv\n");
        assertThat(maven.toFile().setExecutable(true)).isTrue();
        Files.createDirectory(dir.resolve("target"));
        var shell = new ProcessBuilder(
                "sh",
                "-euc",
                "root=$1 jdk=/jdk jar=$1/target/jar; . bin/toolchain.sh; . bin/build.sh; build",
                "sh",
                dir.toString());
        shell.environment()
                .putAll(Map.of(
                        "MAVEN_HOME",
                        dir.resolve("maven").toString(),
                        "TE_API_KEY",
                        "secret",
                        "OTEL_X",
                        "secret",
                        "KEPT",
                        "TE_X=1"));

        assertThat(shell.start().waitFor()).isZero();

        assertThat(Files.readAllLines(dir.resolve("target/build.log")))
                .contains("KEPT=TE_X=1", "JAVA_HOME=/jdk")
                .noneMatch(line -> line.contains("secret"));
    }

    @Test
    void theyDoNotReachTheTrainingOfTheCacheEither(@TempDir Path dir) throws Exception {
        var java = dir.resolve("java");
        Files.writeString(java, "#!/bin/sh\nenv >\"$(dirname \"$0\")/seen\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        var training = new ProcessBuilder("bash", "deploy/train.sh", "jar", "cache");
        training.environment()
                .putAll(Map.of(
                        "PATH",
                        dir + ":" + System.getenv("PATH"),
                        "TE_JOBS_KAFKA_TOPIC",
                        "secret",
                        "OTEL_X",
                        "secret",
                        "KEPT",
                        "TE_X=1"));

        assertThat(training.start().waitFor()).isEqualTo(1);

        assertThat(Files.readAllLines(dir.resolve("seen")))
                .contains("KEPT=TE_X=1", "TE_RATE_LIMIT_PER_SEC=0")
                .noneMatch(line -> line.contains("secret"));
    }

    @Test
    void itIsTheQuickProfileWithoutTestsTheFormatterAndChecksOfTheCode() throws Exception {
        assertThat(Files.readString(Path.of("bin/build.sh"))).contains(" -Pquick package ");
        for (var property : List.of("maven.test.skip", "spotless.check.skip", "jacoco.skip")) {
            assertThat(value(QUICK + "/properties/" + property)).as(property).isEqualTo("true");
        }
        for (var list : List.of("compilerArgs", "annotationProcessorPaths")) {
            assertThat(value("/project/build/plugins/" + COMPILER + list))
                    .as("what the whole build has in " + list)
                    .isNotEmpty();
            var path = QUICK + "/build/plugins/" + COMPILER + list;
            assertThat(value(path + "/@combine.self")).as(list).isEqualTo("override");
            assertThat(value(path)).as(list).isEmpty();
        }
    }
}
