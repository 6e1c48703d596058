package io.taskexec.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.YamlWriter;
import io.taskexec.config.Settings.Effective;
import io.taskexec.model.Json;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** Settings as they are printed, of which nothing is secret any more. */
public record ConfigReport(List<Effective> settings, boolean withMeaning) {
    private static final String NONE = "-";

    /** For people: a line for each setting, and one below it that says what it is for. */
    public String table() {
        var names = width(settings.stream().map(one -> one.setting().name()).toList(), "NAME");
        var values = width(settings.stream().map(ConfigReport::value).toList(), "VALUE");
        var format = "%-" + names + "s  %-" + values + "s  %s%n";
        return format.formatted("NAME", "VALUE", "FROM")
                + settings.stream()
                        .map(one -> format.formatted(one.setting().name(), value(one), origin(one))
                                + (withMeaning ? "    " + meaning(one) + System.lineSeparator() : ""))
                        .collect(Collectors.joining());
    }

    private static int width(List<String> texts, String heading) {
        return Math.max(
                heading.length(), texts.stream().mapToInt(String::length).max().orElse(0));
    }

    private static String value(Effective one) {
        // A certificate has many lines.
        return Objects.requireNonNullElse(one.value(), NONE).replaceAll("\\s*\\R\\s*", " ");
    }

    private static String origin(Effective one) {
        return one.origin().name().toLowerCase(Locale.ROOT);
    }

    /** Without the marks of Markdown, and with the texts of links alone. */
    private static String meaning(Effective one) {
        return one.setting()
                .about()
                .value()
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .replace("`", "");
    }

    /** For programs. */
    public String json() {
        return Json.write(trees()) + System.lineSeparator();
    }

    /** For people and programs. */
    public String yaml() {
        return YamlWriter.write(trees());
    }

    private ArrayNode trees() {
        var items = JsonNodeFactory.instance.arrayNode();
        settings.forEach(one -> items.add(tree(one)));
        return items;
    }

    private ObjectNode tree(Effective one) {
        var tree = JsonNodeFactory.instance
                .objectNode()
                .put("name", one.setting().name())
                .put("value", one.value())
                .put("from", origin(one));
        return withMeaning ? tree.put("meaning", meaning(one)) : tree;
    }
}
