package io.taskexec.store.sql;

import static io.taskexec.testing.TestFiles.text;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The SQL in the sources: in strings and migrations, without comments and without the texts that it quotes. */
final class SqlTexts {
    private static final Path JAVA = Path.of("src/main/java/io/taskexec/store");
    private static final Path MIGRATIONS = Path.of("src/main/resources/db/migration");
    private static final Pattern BLOCK = Pattern.compile("\"\"\"(.*?)\"\"\"", Pattern.DOTALL);
    private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
    private static final Pattern IS_SQL = Pattern.compile(
            "\\b(SELECT|FROM|WHERE|INSERT|UPDATE|DELETE|WITH|JOIN|ORDER BY|LIMIT|AND|OR|SET|VALUES|RETURNING"
                    + "|CREATE)\\b");

    private SqlTexts() {}

    /** Of the program; parts of statements that are put together stand by themselves. */
    static Stream<String> ofProgram() {
        return files(JAVA, ".java").flatMap(SqlTexts::ofJava).map(SqlTexts::bare);
    }

    private static Stream<String> ofJava(Path file) {
        var source = text(file).replaceAll("(?m)^\\s*(//|\\*|/\\*\\*).*$", "");
        var blocks =
                BLOCK.matcher(source).results().map(found -> found.group(1)).toList();
        var strings = STRING.matcher(BLOCK.matcher(source).replaceAll(""))
                .results()
                .map(found -> found.group(1))
                .filter(text -> IS_SQL.matcher(text).find());
        return Stream.concat(blocks.stream(), strings);
    }

    /** The migrations of all databases or of one. */
    static List<Path> migrations(String folder) {
        return files(MIGRATIONS.resolve(folder), ".sql").toList();
    }

    /** What a migration does. */
    static String ofMigration(Path file) {
        return bare(text(file).replaceAll("--.*", ""));
    }

    private static String bare(String sql) {
        return sql.replaceAll("'[^']*'", "''");
    }

    private static Stream<Path> files(Path folder, String ending) {
        try (var found = Files.walk(folder)) {
            return found.filter(file -> file.toString().endsWith(ending)).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
