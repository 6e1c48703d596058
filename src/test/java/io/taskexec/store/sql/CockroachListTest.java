package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No CockroachDB runs with the tests, so what the SQL uses is what its documentation was read for. */
class CockroachListTest {
    private static final Path LIST = Path.of("docs/cockroachdb.md");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern KEYWORD = Pattern.compile("(?<![\\w$:\"%])([A-Z]{2,})(?![\\w])");
    private static final Pattern FUNCTION = Pattern.compile("(?<![\\w.])([a-z][a-z0-9_]+)\\(");
    private static final Pattern TYPE = Pattern.compile("::([a-z][a-z0-9]*)");
    private static final Pattern OPERATOR = Pattern.compile("([-+*/<>=~!@#%^&|]+)");

    /** What is no operator: parameters of formats, and the name of an index. */
    private static final Pattern NO_OPERATOR = Pattern.compile("%(\\d\\$)?[sd]|(?<=\\w)@(?=\\w)");

    private static final Pattern DIVISION = Pattern.compile("\\S+\\s+/\\s+.*");
    private static final Pattern FLOATS = Pattern.compile("^\\S+::float8\\s+/\\s+.*::float8");

    private static final Pattern CHANGE = Pattern.compile("\\b(?:INSERT INTO|UPDATE|DELETE FROM) (?!SET\\b)([a-z_]+)");

    /** Words before a parenthesis that are names of ours: tables and the row types of {@code AS n(...)}. */
    private static final Pattern NAMED = Pattern.compile("(?:AS|INTO|TABLE|ON|REFERENCES|EXISTS) +([a-z_]+) ?\\(");

    private static Stream<String> sql() {
        return Stream.concat(
                SqlTexts.ofProgram(),
                Stream.of("common", "cockroachdb")
                        .flatMap(folder -> SqlTexts.migrations(folder).stream())
                        .map(SqlTexts::ofMigration));
    }

    private static Set<String> named() throws IOException {
        return CODE.matcher(Files.readString(LIST))
                .results()
                .flatMap(found -> Arrays.stream(found.group(1).split("[^\\w]+")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> found(Pattern pattern) {
        return sql().flatMap(text -> {
                    var own = NAMED.matcher(text)
                            .results()
                            .map(found -> found.group(1))
                            .collect(Collectors.toSet());
                    return pattern.matcher(text)
                            .results()
                            .map(found -> found.group(1))
                            .filter(word -> !own.contains(word));
                })
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyClauseIsInTheList() throws IOException {
        var words = found(KEYWORD);

        assertThat(words).contains("SELECT", "LATERAL", "SKIP", "CONFLICT");
        words.removeAll(named());
        assertThat(words).as("not in " + LIST).isEmpty();
    }

    @Test
    void everyFunctionIsInTheList() throws IOException {
        var functions = found(FUNCTION);

        assertThat(functions).contains("unnest", "now", "date_trunc");
        functions.removeAll(named());
        assertThat(functions).as("not in " + LIST).isEmpty();
    }

    @Test
    void everyTypeIsInTheList() throws IOException {
        var types = found(TYPE);

        assertThat(types).contains("uuid", "json");
        types.removeAll(named());
        assertThat(types).as("not in " + LIST).isEmpty();
    }

    @Test
    void everyOperatorIsInTheList() throws IOException {
        var operators = sql().flatMap(
                        text -> operators(NO_OPERATOR.matcher(text).replaceAll(" ")))
                .collect(Collectors.toCollection(TreeSet::new));
        // A table has them escaped.
        var named = CODE.matcher(Files.readString(LIST).replace("\\|", "|"))
                .results()
                .flatMap(found -> operators(found.group(1)))
                .collect(Collectors.toSet());

        assertThat(operators).contains("||", ">>", "&", "->>", "<>", "*");
        operators.removeAll(named);
        assertThat(operators).as("not in " + LIST).isEmpty();
    }

    @Test
    void onlyFloatsAreDividedSinceAnIntegerThatAnotherDividesIsADecimalThere() {
        assertThat(sql().flatMap(text -> DIVISION.matcher(text).results()))
                .isNotEmpty()
                .allMatch(division -> FLOATS.matcher(division.group()).find());
    }

    private static Stream<String> operators(String text) {
        return OPERATOR.matcher(text).results().map(found -> found.group(1));
    }

    /** CockroachDB refuses a statement that changes one table twice, unless told that the rows are never the same. */
    @Test
    void onlyTheEndOfAnExecutionChangesATableTwiceAndSaysSo() {
        var twice = Statements.ofStore().entrySet().stream()
                .filter(statement -> {
                    var tables = CHANGE.matcher(statement.getValue())
                            .results()
                            .map(found -> found.group(1))
                            .toList();
                    return tables.size() > Set.copyOf(tables).size();
                })
                .map(statement -> statement.getKey().replaceAll("\\W(alone|withEvents)$", ""))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(twice)
                .containsExactly(
                        "ClaimStatement.KEYED",
                        "ClaimStatement.KEYED_CTES",
                        "ClaimStatement.KEYED_MEASURED",
                        "ClaimStatement.KEYED_PULLED",
                        "ClaimStatement.KEYED_SHARED",
                        "ClaimStatement.KEYED_SHARED_CTES",
                        "ClaimStatement.KEYED_SHARED_MEASURED",
                        "ResultStatement.END_LINKED_WITH_CALLBACKS",
                        "ResultStatement.END_WITH_CALLBACKS");
        assertThat(Dialect.COCKROACHDB.sessions()).containsEntry("enable_multiple_modifications_of_table", "on");
    }

    @Test
    void nothingIsUsedThatIsKnownToBeMissing() {
        assertThat(sql().map(text -> text.toLowerCase(Locale.ROOT)))
                .noneMatch(text -> text.contains("advisory") || text.contains("pg_notify"));
        // Of LISTEN and NOTIFY, which are asked for where they are known to be: WakeupsTest.
        assertThat(Dialect.COCKROACHDB.wakes()).isFalse();
        assertThat(Dialect.of("CockroachDB CCL v24.3.5 (x86_64-pc-linux-gnu)")).isEqualTo(Dialect.COCKROACHDB);
        assertThat(Dialect.of("PostgreSQL 18.1 on x86_64")).isEqualTo(Dialect.POSTGRESQL);
    }
}
