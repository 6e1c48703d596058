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

    /** All expressions of both. */
    public static List<String> expressions() {
        return Stream.concat(
                        dashboard().findValuesAsText("expr").stream(),
                        alerts().stream().map(alert -> alert.path("expr").asText()))
                .toList();
    }

    /** The names of metrics in an expression of PromQL. */
    public static Set<String> metrics(String expression) {
        var names = new TreeSet<String>();
        var selectors = TEXT.matcher(expression).replaceAll("");
        NAME.matcher(ELSE.matcher(selectors).replaceAll(" "))
                .results()
                .map(found -> found.group())
                .filter(name -> !OPERATORS.contains(name))
                .forEach(names::add);
        return names;
    }
}
