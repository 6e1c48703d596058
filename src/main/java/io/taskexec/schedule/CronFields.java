package io.taskexec.schedule;

import static io.taskexec.schedule.InvalidScheduleException.quoted;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** A parsed expression. */
record CronFields(
        FieldValues minute, FieldValues hour, FieldValues dayOfMonth, FieldValues month, FieldValues dayOfWeek) {
    private static final Pattern FOREIGN = Pattern.compile("[^A-Za-z0-9*/,#()@ \\t-]");
    private static final Pattern SPACE = Pattern.compile("[ \\t]+");

    /** Throws InvalidScheduleException. */
    static CronFields parse(String expression, long seed) {
        var foreign = FOREIGN.matcher(expression);
        if (foreign.find()) {
            throw new InvalidScheduleException("The cron expression " + quoted(expression) + " has the character "
                    + quoted(foreign.group()) + ", which no field takes");
        }
        var texts = SPACE.split(Macro.expand(expression.strip()).toUpperCase(Locale.ROOT), -1);
        if (texts.length != Field.values().length) {
            throw new InvalidScheduleException("The cron expression " + quoted(expression)
                    + " does not have five fields:" + " minute, hour, day of month, month and day of week");
        }
        return new CronFields(
                field(Field.MINUTE, texts[0], seed),
                field(Field.HOUR, texts[1], seed),
                field(Field.DAY_OF_MONTH, texts[2], seed),
                field(Field.MONTH, texts[3], seed),
                field(Field.DAY_OF_WEEK, texts[4], seed));
    }

    private static FieldValues field(Field field, String text, long seed) {
        return FieldValues.parse(field, new HashedField(field, seed).expand(text));
    }

    /** The expression in five plain fields. */
    String text() {
        return String.join(" ", List.of(minute.text(), hour.text(), dayOfMonth.text(), month.text(), dayOfWeek.text()));
    }
}
