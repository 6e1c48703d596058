package io.taskexec.config;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The page about settings: prose by hand, and tables that are made of what the interfaces say. */
final class ConfigurationDocument {
    /** What stands between the marks is written anew. */
    private static final Pattern TABLE =
            Pattern.compile("(<!-- generated: ([^>]+) -->\\n).*?(<!-- end -->)", Pattern.DOTALL);

    private static final String WITHOUT_EFFECT = "names without effect";

    private ConfigurationDocument() {}

    static String regenerated(String page) {
        return TABLE.matcher(page)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group(1) + "\n" + table(found.group(2)) + "\n" + found.group(3)));
    }

    /** The interfaces that have their settings in a table. */
    static List<String> interfacesOn(String page) {
        return TABLE.matcher(page)
                .results()
                .map(found -> found.group(2))
                .filter(what -> !what.equals(WITHOUT_EFFECT))
                .flatMap(what -> Arrays.stream(what.split(", ")))
                .toList();
    }

    private static String table(String what) {
        return what.equals(WITHOUT_EFFECT) ? unused() : settings(List.of(what.split(", ")));
    }

    private static String unused() {
        return "| name | why it has no effect |\n| --- | --- |\n"
                + KnownSettings.UNUSED.entrySet().stream()
                        .sorted(java.util.Map.Entry.comparingByKey())
                        .map(one -> "| `%s` | %s |\n".formatted(one.getKey(), sentence(one.getValue())))
                        .collect(joining());
    }

    private static String sentence(String reason) {
        var text = reason.replaceAll("(?<=^|\\s)(TE_[A-Z_]+)", "`$1`");
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
    }

    private static String settings(List<String> interfaces) {
        return "| name | default | unit, bounds | meaning |\n| --- | --- | --- | --- |\n"
                + KnownSettings.INTERFACES.stream()
                        .filter(one -> interfaces.contains(one.getSimpleName()))
                        .flatMap(KnownSetting::of)
                        .sorted()
                        .map(ConfigurationDocument::row)
                        .collect(joining());
    }

    private static String row(KnownSetting one) {
        var alsoFile = one.about().file() ? " Also `" + one.fileName() + "`." : "";
        return "| `%s` | %s | %s | %s%s |\n"
                .formatted(one.name(), standard(one), bounds(one), one.about().value(), alsoFile);
    }

    private static String standard(KnownSetting one) {
        var constant = one.constant();
        if (!one.about().otherwise().isEmpty()) {
            return one.about().otherwise();
        }
        if (constant == null) {
            return "none";
        }
        return constant.matches("\\d+") ? constant : "`" + one.shown(constant) + "`";
    }

    private static String bounds(KnownSetting one) {
        return Stream.of(
                        one.about().unit(),
                        words(one),
                        one.about().form(),
                        isList(one) ? "list with commas" : "",
                        range(one),
                        one.about().file() ? "*file*" : "")
                .filter(part -> !part.isEmpty())
                .collect(joining(", "));
    }

    private static boolean isList(KnownSetting one) {
        return one.method().getGenericReturnType().getTypeName().contains("java.util.List<");
    }

    private static String words(KnownSetting one) {
        var words = one.words();
        return words == null
                ? ""
                : Arrays.stream(words)
                        .map(word -> "`" + word.toString().toLowerCase(Locale.ROOT) + "`")
                        .collect(joining(", "));
    }

    private static String range(KnownSetting one) {
        var about = one.about();
        if (about.min() == Long.MIN_VALUE) {
            return "";
        }
        var characters = one.method().getReturnType() == String.class ? " characters" : "";
        return String.format(Locale.ROOT, "%,d to %,d%s", about.min(), about.max(), characters);
    }
}
