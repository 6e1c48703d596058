package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

import java.util.Locale;
import java.util.Map;

/** The names that stand for whole expressions. */
final class Macro {
    private static final Map<String, String> EXPRESSIONS = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *");

    private Macro() {}

    /** The five fields that {@code text} stands for; itself when it is no macro. Throws InvalidScheduleException. */
    static String expand(String text) {
        if (!text.startsWith("@")) {
            return text;
        }
        var expression = EXPRESSIONS.get(text.toLowerCase(Locale.ROOT));
        if (expression == null) {
            throw new InvalidScheduleException("There is no " + quoted(text)
                    + ": use @hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually");
        }
        return expression;
    }
}
