package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.TestFiles;
import java.util.ArrayDeque;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * There is no parser of Nix for Java, and this asks for none to be installed: brackets and strings must be closed, and
 * what the flake takes from elsewhere must be what is there.
 */
class FlakeTest {
    private static final String TEXT = TestFiles.text(DeployFiles.FLAKE);

    @Test
    void everyBracketAndEveryStringIsClosed() {
        assertThat(unclosed(TEXT)).isEmpty();
        assertThat(unclosed("{ a = [ 1 ; }")).isNotEmpty();
        assertThat(unclosed("{ a = \"x; }")).isNotEmpty();
    }

    @Test
    void itBuildsWhatTheOtherBuildsBuild() {
        assertThat(TEXT).contains("cp -r target/quarkus-app/. $out/share/taskexec");
        assertThat(Pattern.compile("-D(\\S+?)=").matcher(TEXT).results().map(found -> found.group(1)))
                .containsExactlyInAnyOrder("maven.test.skip", "spotless.check.skip", "jacoco.skip");
        assertThat(TestFiles.text(java.nio.file.Path.of("pom.xml"))).contains("<version>0.1.0");
        assertThat(TEXT).contains("version = \"0.1.0\"");
    }

    @Test
    void theLauncherAndTheStartScriptHaveTheOptionsOfTheImage() {
        var script = TestFiles.text(java.nio.file.Path.of("bin/run.sh"));
        assertThat(DockerfileTest.jvmOptions().stream()
                        .filter(option -> option.startsWith("--") || option.matches("-XX:\\+(Use|Exit).*")))
                .hasSize(5)
                .allSatisfy(option -> assertThat(TEXT).contains(option))
                .allSatisfy(option -> assertThat(script).contains(option));
    }

    /** What is open at the end: brackets, and the quotation marks of strings, in which there may be brackets again. */
    private static String unclosed(String nix) {
        var open = new ArrayDeque<String>();
        for (var at = 0; at < nix.length(); at++) {
            var inString = "''".equals(open.peek()) || "\"".equals(open.peek());
            if (inString && nix.startsWith("${", at)) {
                open.push("{");
                at++;
            } else if (nix.startsWith("''", at) && !"\"".equals(open.peek())) {
                toggle(open, "''");
                at++;
            } else if (nix.charAt(at) == '"' && !"''".equals(open.peek())) {
                toggle(open, "\"");
            } else if (!inString && nix.charAt(at) == '#') {
                at = nix.indexOf('\n', at);
            } else if (!inString && "{[(".indexOf(nix.charAt(at)) >= 0) {
                open.push(nix.substring(at, at + 1));
            } else if (!inString && "}])".indexOf(nix.charAt(at)) >= 0) {
                var opening = "{[(".substring("}])".indexOf(nix.charAt(at))).substring(0, 1);
                if (!opening.equals(open.peek())) {
                    return "closes what is not open at " + at;
                }
                open.pop();
            }
        }
        return String.join(" ", open);
    }

    private static void toggle(ArrayDeque<String> open, String mark) {
        if (mark.equals(open.peek())) {
            open.pop();
        } else {
            open.push(mark);
        }
    }
}
