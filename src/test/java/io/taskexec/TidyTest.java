package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds sources and documents to the rules of CONTRIBUTING.md that a machine can check. */
class TidyTest {
    private static final int MAX_COLUMNS = 120;
    private static final int MAX_METHOD_LINES = 60;
    private static final int MAX_CONSTRUCTOR_PARAMETERS = 7;
    private static final int MAX_TEST_FILE_LINES = 500;

    /** The first word of a clause that is no sentence, such as "What has ended". */
    private static final Pattern CLAUSE = Pattern.compile("(What|How|Which|Who|Whose|Whom|That)\\b");

    /** Words for which CONTRIBUTING.md has a standard term; a text {@code "nobody"} is the user of Unix. */
    private static final Pattern AVOIDED = Pattern.compile(String.join(
            "|",
            "\\bfor good\\b",
            "\\b([Ss]ome|[Ee]very)body\\b",
            "\\b[Nn]obody\\b(?!\")",
            "\\b[Ww]hoever\\b",
            "(?<!there )\\b(is|are) none\\b",
            "\\bin vain\\b",
            "more than nothing",
            "database did not do it",
            "\\bWhich ones\\.",
            "^#+ (Whose a delivery is|When a receiver is in trouble|Who calls|Results that are passed on)",
            "^#+ (Is anything lost|History that is removed|Once more|Many at once)",
            "\\b(FailedForNow|FailedForGood|Disguise|Suspects|Vitals|Wellness|StrayNames|QueueTurns)\\b",
            "\\b(EarlyErrors|IdentityExtras|EventSpelling|KeptConnections|JobIntake|KeyPresses)\\b",
            "\\b(heardElsewhere|triedInVain|mayWorkAtOnce|untilCut|cutAll|bury)\\b"));

    /** Times of SQL for which no function of another schema can stand in, as the virtual clock's must. */
    private static final Pattern FIXED_TIME = Pattern.compile(
            "\\b(CURRENT_(TIMESTAMP|DATE|TIME)|LOCALTIME(STAMP)?|(?i:(transaction|statement)_timestamp|timeofday))\\b"
                    + "|\\bcurrent_(timestamp|date|time)\\b|'(now|today|tomorrow|yesterday)'");

    private static final List<Path> SQL = Stream.of("common", "postgresql")
            .flatMap(folder -> files("src/main/resources/db/migration/" + folder, ".sql").stream())
            .toList();
    private static final List<Path> MAIN = sources("main");
    private static final List<Path> TESTS = sources("test");
    private static final List<Path> DOCUMENTS = Stream.of(
                    "README.md", "CONTRIBUTING.md", "docs", "deploy", "bench", "examples", "sdk/java/README.md")
            .flatMap(place -> files(place, ".md").stream())
            .toList();

    private static final List<Declaration> declarations = new ArrayList<>();

    private record Line(Path file, int number, String text) {
        static Stream<Line> of(Path file) {
            var lines = read(file);
            return IntStream.range(0, lines.size()).mapToObj(i -> new Line(file, i + 1, lines.get(i)));
        }

        @Override
        public String toString() {
            return file + ":" + number + ": " + text.strip();
        }
    }

    /** A type, a method or a constructor; the comment is empty when it has none. */
    private record Declaration(Tree tree, Tree owner, String comment, String file, long line, long lastLine) {
        @Override
        public String toString() {
            var name = tree instanceof MethodTree method ? method.getName() : ((ClassTree) tree).getSimpleName();
            return file + ":" + line + ": " + name;
        }
    }

    @BeforeAll
    static void parse() throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            var sources = manager.getJavaFileObjectsFromPaths(
                    Stream.concat(MAIN.stream(), TESTS.stream()).toList());
            var task = (JavacTask) compiler.getTask(null, manager, null, null, null, sources);
            var trees = DocTrees.instance(task);
            for (var unit : task.parse()) {
                new DeclarationScanner(trees, unit).scan(unit, null);
            }
        }
    }

    /** Collects the declarations of a source file. */
    private static final class DeclarationScanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final DocTrees trees;
        private final CompilationUnitTree unit;

        DeclarationScanner(DocTrees trees, CompilationUnitTree unit) {
            this.trees = trees;
            this.unit = unit;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
            add(type);
            return super.visitClass(type, null);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            add(method);
            return super.visitMethod(method, null);
        }

        private void add(Tree tree) {
            var positions = trees.getSourcePositions();
            var lines = unit.getLineMap();
            declarations.add(new Declaration(
                    tree,
                    getCurrentPath().getParentPath().getLeaf(),
                    Objects.requireNonNullElse(trees.getDocComment(getCurrentPath()), "")
                            .strip(),
                    unit.getSourceFile().getName(),
                    lines.getLineNumber(positions.getStartPosition(unit, tree)),
                    lines.getLineNumber(positions.getEndPosition(unit, tree))));
        }
    }

    /** The rows of a table in Markdown cannot be broken. */
    @Test
    void linesFitThePage() {
        assertThat(lines(List.of(MAIN, TESTS, DOCUMENTS)))
                .filteredOn(line ->
                        line.text().length() > MAX_COLUMNS && !line.text().startsWith("|"))
                .isEmpty();
    }

    @Test
    void methodsAreShort() {
        assertThat(declarations)
                .filteredOn(found -> found.tree() instanceof MethodTree)
                .filteredOn(method -> method.lastLine() - method.line() >= MAX_METHOD_LINES)
                .isEmpty();
    }

    /** A record is data: its components have names where they are read. */
    @Test
    void constructorsHaveFewParameters() {
        assertThat(declarations)
                .filteredOn(found -> found.owner().getKind() != Tree.Kind.RECORD)
                .filteredOn(found -> found.tree() instanceof MethodTree method
                        && method.getReturnType() == null
                        && method.getParameters().size() > MAX_CONSTRUCTOR_PARAMETERS)
                .isEmpty();
    }

    @Test
    void commentsOfTypesAreSentences() {
        assertThat(declarations)
                .filteredOn(found -> found.tree() instanceof ClassTree)
                .filteredOn(type -> CLAUSE.matcher(type.comment()).lookingAt())
                .isEmpty();
    }

    @Test
    void avoidedWordsDoNotComeBack() {
        assertThat(lines(List.of(MAIN, DOCUMENTS)))
                .filteredOn(line -> AVOIDED.matcher(line.text()).find())
                .isEmpty();
    }

    @Test
    void timesOfSqlAreThoseOfFunctionsThatTheVirtualClockReplaces() {
        assertThat("SELECT CURRENT_TIMESTAMP, 'now'::timestamptz")
                .matches(text -> FIXED_TIME.matcher(text).find());
        assertThat(lines(List.of(MAIN, SQL)))
                .filteredOn(line -> FIXED_TIME.matcher(line.text()).find())
                .isEmpty();
    }

    @Test
    void testFilesAreShort() {
        assertThat(TESTS)
                .filteredOn(file -> read(file).size() > MAX_TEST_FILE_LINES)
                .isEmpty();
    }

    private static Stream<Line> lines(List<List<Path>> files) {
        return files.stream().flatMap(List::stream).flatMap(Line::of);
    }

    /** Those of the program, of its Java client and of the example on that. */
    private static List<Path> sources(String kind) {
        return Stream.of("src/", "sdk/java/src/", "examples/cloudillo/src/")
                .flatMap(place -> files(place + kind + "/java", ".java").stream())
                .toList();
    }

    private static List<Path> files(String place, String ending) {
        try (var found = Files.walk(Path.of(place))) {
            return found.filter(file -> file.toString().endsWith(ending)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
