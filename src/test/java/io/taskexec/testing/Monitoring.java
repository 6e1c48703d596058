package io.taskexec.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The dashboard and the alerts that are delivered, and which metrics they name. */
public final class Monitoring {
    private static final Path DASHBOARD = Path.of("deploy/grafana/taskexec.json");
    private static final Path ALERTS = Path.of("deploy/prometheus/alerts.yaml");

    private static final Pattern TEXT = Pattern.compile("\"[^\"]*\"|'[^']*'");

    /** What has no names of metrics in it: selectors, ranges, and the labels that things are grouped by. */
    private static final Pattern ELSE =
            Pattern.compile("\\{[^}]*}|\\[[^]]*]|\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");

    /** A name that is neither a function, which a parenthesis follows, nor a number's suffix. */
    private static final Pattern NAME = Pattern.compile("(?<![\\w:.])[a-zA-Z_:][\\w:]*(?![\\w:]*\\s*\\()");

    /** What asks for the values of a label: a metric, and the label. */
    private static final Pattern VALUES = Pattern.compile("label_values\\s*\\(([^,)]*),[^)]*\\)");

    private static final Pattern SELECTOR = Pattern.compile("([a-zA-Z_:][\\w:]*)\\{((?:[^}\"]|\"[^\"]*\")*)}");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(!?=)\\s*\"([^\"$]*)\"");

    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset", "inf", "nan");

    private Monitoring() {}

    /** The dashboard. */
    public static JsonNode dashboard() {
        try {
            return JsonMapper.builder().build().readTree(DASHBOARD.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The alerts, of all groups. */
    public static List<JsonNode> alerts() {
        try {
            var rules = new ArrayList<JsonNode>();
            new YAMLMapper()
                    .readTree(ALERTS.toFile())
                    .path("groups")
                    .forEach(group -> group.path("rules").forEach(rules::add));
            return rules;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A value of a label by which an expression selects.
     *
     * @param metric the metric that should have it
     */
    public record Selected(String metric, String label, String value) {}

    /** All expressions of both, also those of the variables of the dashboard. */
    public static List<String> expressions() {
        var dashboard = dashboard();
        var variables = new ArrayList<String>();
        dashboard.path("templating").path("list").forEach(variable -> {
            if (variable.path("type").asText().equals("query")) {
                variables.add(variable.path("query").path("query").asText());
                variables.add(variable.path("definition").asText());
            }
        });
        return Stream.of(
                        dashboard.findValuesAsText("expr"),
                        variables,
                        alerts().stream()
                                .map(alert -> alert.path("expr").asText())
                                .toList())
                .flatMap(List::stream)
                .toList();
    }

    /** The values by which an expression selects, or leaves out; neither variables nor patterns. */
    public static List<Selected> selected(String expression) {
        return SELECTOR.matcher(expression)
                .results()
                .flatMap(selector -> MATCHER.matcher(selector.group(2))
                        .results()
                        .map(one -> new Selected(selector.group(1), one.group(1), one.group(3))))
                .toList();
    }

    /** The names of metrics in an expression of PromQL. */
    public static Set<String> metrics(String expression) {
        var names = new TreeSet<String>();
        var selectors =
                TEXT.matcher(VALUES.matcher(expression).replaceAll("$1")).replaceAll("");
        NAME.matcher(ELSE.matcher(selectors).replaceAll(" "))
                .results()
                .map(found -> found.group())
                .filter(name -> !OPERATORS.contains(name))
                .forEach(names::add);
        return names;
    }
}
