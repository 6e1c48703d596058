package io.taskexec.client;

import java.util.Locale;
import java.util.regex.Pattern;

/** Makes names of endpoints from names of classes. */
final class TaskNames {
    /** Between a small letter and a capital one, and before the last of several capitals: HTTPCall is http-call. */
    private static final Pattern BORDER = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private TaskNames() {}

    static String kebabCase(String className) {
        var name = BORDER.matcher(className).replaceAll("-").replace("_", "-").toLowerCase(Locale.ROOT);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' makes no name of an endpoint; give the class a @TaskName.".formatted(className));
        }
        return name;
    }
}
