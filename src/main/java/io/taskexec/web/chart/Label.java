package io.taskexec.web.chart;

/** Names in pictures, which have little room. */
final class Label {
    private Label() {}

    /** The name without its middle when it is long: names that belong together often differ at their ends alone. */
    static String of(String name, int longest) {
        var end = (longest - 1) / 2;
        return name.length() > longest
                ? name.substring(0, longest - 1 - end) + "…" + name.substring(name.length() - end)
                : name;
    }
}
