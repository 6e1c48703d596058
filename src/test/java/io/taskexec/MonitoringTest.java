package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.testing.Monitoring;
import io.taskexec.testing.Monitoring.Selected;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that alerts and dashboards fit together; MetricsIT checks that their metrics exist. */
class MonitoringTest {
    private static final int GRID = 24;
    private static final Pattern LISTED = Pattern.compile("^\\| `(Taskexec[A-Za-z]+)` +\\|", Pattern.MULTILINE);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "up | up",
                "sum by (le, queue) (rate(a_bucket{x=\"y\"}[5m])) / b:c | a_bucket b:c",
                "absent(a) and on() count(b) > 0 or vector(0) | a b",
                "time() - (max (a) > 0) > 86400 | a",
                "max without(le) (a offset 5m) == bool 1e3 | a",
                "a{b=~\"c}d\"} | a",
                "label_values(a, b) | a",
                "label_values(a{b=\"c\"}, d) | a"
            })
    void namesOfMetricsAreToldFromTheRestOfAnExpression(String expression, String names) {
        assertThat(Monitoring.metrics(expression)).containsExactlyInAnyOrder(names.split(" ", -1));
    }

    @Test
    void valuesOfLabelsAreTakenFromSelectorsAndVariablesAndPatternsAreNot() {
        assertThat(Monitoring.selected("""
                        sum(a{b="c", d!="e", f=~"g|h", i!~"j", k=~"$l", m="$n"}) / o{p="}"} + q{}
                        """))
                .containsExactly(new Selected("a", "b", "c"), new Selected("a", "d", "e"), new Selected("o", "p", "}"));
    }

    @Test
    void parenthesesOfExpressionsAreBalanced() {
        assertThat(Monitoring.expressions()).hasSizeGreaterThan(40).allSatisfy(expression -> {
            for (var pair : new String[] {"()", "[]", "{}"}) {
                assertThat(expression.chars().filter(c -> c == pair.charAt(0)).count())
                        .as(expression)
                        .isEqualTo(expression
                                .chars()
                                .filter(c -> c == pair.charAt(1))
                                .count());
            }
            assertThat(Monitoring.metrics(expression)).as(expression).isNotEmpty();
        });
    }

    @Test
    void everyPanelHasAnIdAPlaceAndATitleOfItsOwn() {
        var panels = Monitoring.dashboard().path("panels");
        var ids = new HashSet<Integer>();
        var titles = new HashSet<String>();
        var cells = new HashSet<String>();

        assertThat(panels).hasSizeGreaterThan(20).allSatisfy(panel -> {
            assertThat(ids.add(panel.path("id").asInt())).as("id of %s", panel).isTrue();
            assertThat(titles.add(panel.path("title").asText()))
                    .as("title of %s", panel)
                    .isTrue();
            assertThat(panel.path("type").asText().equals("row"))
                    .isEqualTo(panel.path("targets").isEmpty());
            occupy(panel, cells);
        });
    }

    private static void occupy(JsonNode panel, Set<String> cells) {
        var place = panel.path("gridPos");
        var x = place.path("x").asInt();
        var y = place.path("y").asInt();
        var right = x + place.path("w").asInt();
        assertThat(right).isBetween(1, GRID);
        for (var column = x; column < right; column++) {
            for (var line = y; line < y + place.path("h").asInt(); line++) {
                assertThat(cells.add(column + "," + line))
                        .as("place of %s", panel.path("title"))
                        .isTrue();
            }
        }
    }

    @Test
    void everyPanelAsksTheDataSourceThatWasChosen() {
        var dashboard = Monitoring.dashboard();

        assertThat(dashboard.findValues("datasource"))
                .hasSizeGreaterThan(20)
                .allMatch(source -> source.path("uid").asText().equals("${datasource}"));
        assertThat(dashboard.path("templating").path("list"))
                .extracting(variable -> variable.path("name").asText())
                .containsExactly("datasource", "instance", "queue");
    }

    @Test
    void everyAlertHasASeverityAndASentence() {
        var names = new HashSet<String>();

        assertThat(Monitoring.alerts()).isNotEmpty().allSatisfy(alert -> {
            assertThat(names.add(alert.path("alert").asText())).isTrue();
            assertThat(alert.path("labels").path("severity").asText()).isIn("warning", "critical");
            assertThat(alert.path("annotations").path("summary").asText()).matches("\\S.{15,}");
            assertThat(alert.path("for").asText("1m")).matches("\\d+[mh]");
        });
    }

    /** More slots of the role worker change nothing there. */
    @Test
    void anOldQueueOfAnEndpointAsksForPullWorkers() throws IOException {
        assertThat(Monitoring.alerts())
                .filteredOn(alert -> alert.path("alert").asText().equals("TaskexecQueueOld"))
                .singleElement()
                .satisfies(alert -> assertThat(alert.at("/annotations/summary").asText())
                        .contains("{{ if match \"^worker:\" $labels.queue }}, and its endpoint's pull workers"));
        assertThat(Files.readString(Path.of("docs/operations.md")).lines())
                .filteredOn(line -> line.startsWith("| `TaskexecQueueOld` |"))
                .singleElement()
                .asString()
                .contains("`worker:NAME`");
    }

    /** Events are removed in a duty of their own, which goes on when that of history fails. */
    @Test
    void removedEventsDoNotHideThatHistoryStays() {
        assertThat(Monitoring.alerts())
                .filteredOn(alert -> alert.path("alert").asText().equals("TaskexecRetentionBehind"))
                .singleElement()
                .satisfies(alert -> assertThat(
                                Monitoring.selected(alert.path("expr").asText()))
                        .containsExactly(new Selected("taskexec_retention_removed_total", "table", "event_log")));
    }

    @Test
    void everyAlertIsDocumentedAndNoOtherIs() throws IOException {
        var listed = LISTED.matcher(Files.readString(Path.of("docs/operations.md")))
                .results()
                .map(found -> found.group(1));

        assertThat(listed)
                .containsExactlyInAnyOrderElementsOf(Monitoring.alerts().stream()
                        .map(alert -> alert.path("alert").asText())
                        .toList());
    }
}
