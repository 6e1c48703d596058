package io.taskexec.schedule;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Proposes expressions that fire as often as others, at minutes that {@code H} chooses, so that schedules that start
 * together spread over the hour.
 */
public final class SpreadExpression {
    private static final Pattern SPACE = Pattern.compile("[ \\t]+");

    private SpreadExpression() {}

    /**
     * The expression with {@code H} in its minute; null when it has {@code H} already, fires each minute or at minutes
     * that are not evenly apart. The hour changes too where it is each n-th of the day and the clock of the zone never
     * changes: in other zones such a schedule would follow another rule.
     *
     * @param expression one that can be parsed
     */
    public static @Nullable String of(String expression, String zone) {
        var texts = SPACE.split(Macro.expand(expression.strip()), -1);
        var fields = CronFields.parse(expression, 0);
        var minute = isHashed(texts[0]) ? null : hashed(fields.minute());
        if (minute == null) {
            return null;
        }
        texts[0] = minute;
        if (texts[1].startsWith("*/") && Zones.named(zone).getRules().isFixedOffset()) {
            var hour = hashed(fields.hour());
            texts[1] = hour == null ? texts[1] : hour;
        }
        return String.join(" ", texts);
    }

    private static boolean isHashed(String text) {
        return text.toUpperCase(Locale.ROOT).contains("H");
    }

    /** {@code H} for one value and {@code H/n} for values that are evenly apart, null for others. */
    private static @Nullable String hashed(FieldValues values) {
        var size = values.field().max() + 1;
        var bits = values.bits();
        var step = size / Long.bitCount(bits);
        for (var i = Long.numberOfTrailingZeros(bits); i < size; i += step) {
            bits &= ~(1L << i);
        }
        // What is left is not evenly apart.
        var isEven = bits == 0 && size % Long.bitCount(values.bits()) == 0;
        return !isEven || step == 1 ? null : step == size ? "H" : "H/" + step;
    }
}
