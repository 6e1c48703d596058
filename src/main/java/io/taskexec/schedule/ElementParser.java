package io.taskexec.schedule;

import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.field.constraint.FieldConstraintsBuilder;
import com.cronutils.model.field.expression.Always;
import com.cronutils.model.field.expression.Between;
import com.cronutils.model.field.expression.Every;
import com.cronutils.model.field.expression.FieldExpression;
import com.cronutils.model.field.expression.On;
import com.cronutils.model.field.value.IntegerFieldValue;
import com.cronutils.model.field.value.SpecialChar;
import com.cronutils.parser.CronParserField;
import java.util.regex.Pattern;

/**
 * Parses members of a field's list with cron-utils. Only one member at a time, and only the parser, because what the
 * library makes of lists with {@code L} and {@code W} and of ranges that run backwards is wrong.
 */
final class ElementParser {
    private static final int DAYS_IN_WEEK = 7;
    private static final int MAX_NTH = 5;
    private static final int MAX_BEFORE_LAST = 30;

    /** A name that the library takes for 7, so that it would be the end of its week where it begins a range. */
    private static final Pattern SUNDAY = Pattern.compile("(?<![A-Z0-9])SUN(?=L?$|[-/#])");

    private final Field field;
    private final String text;

    private ElementParser(Field field, String text) {
        this.field = field;
        this.text = text;
    }

    /** Throws InvalidScheduleException. */
    static Element parse(Field field, String text) {
        var parser = new ElementParser(field, text);
        return parser.element(parser.expression());
    }

    private FieldExpression expression() {
        var name = CronFieldName.valueOf(field.name());
        var constraints = FieldConstraintsBuilder.instance()
                .forField(name)
                .addLSupport()
                .addWSupport()
                .addLWSupport()
                .addHashSupport()
                .createConstraintsInstance();
        try {
            return new CronParserField(name, constraints).parse(plain()).getExpression();
        } catch (RuntimeException _) {
            // Of any kind: the library's own for most mistakes, an index out of bounds for others.
            throw field.refusal(text);
        }
    }

    /** With Sunday as 0, as in crontab(5). */
    private String plain() {
        return field == Field.DAY_OF_WEEK ? SUNDAY.matcher(text).replaceAll("0") : text;
    }

    private Element element(FieldExpression expression) {
        return switch (expression) {
            case Always _ -> values(field.min(), field.max(), 1);
            case Between it -> range(it, 1);
            case Every it -> stepped(it);
            case On it -> on(it);
            default -> throw field.refusal(text);
        };
    }

    private Element stepped(Every every) {
        var step = every.getPeriod().getValue();
        if (step < 1 || step > field.max()) {
            throw field.refusal(text, "has a step that is not in 1-" + field.max());
        }
        return switch (every.getExpression()) {
            case Always _ -> values(field.min(), field.max(), step);
            case Between it -> range(it, step);
            case On it -> values(inRange(it.getTime()), field.max(), step);
            default -> throw field.refusal(text);
        };
    }

    private Element range(Between range, int step) {
        if (!(range.getFrom() instanceof IntegerFieldValue start && range.getTo() instanceof IntegerFieldValue end)) {
            throw field.refusal(text);
        }
        var from = inRange(start);
        var to = inRange(end);
        if (field == Field.DAY_OF_WEEK && from > to && from == DAYS_IN_WEEK) {
            from = 0;
        } else if (field == Field.DAY_OF_WEEK && from > to && to == 0) {
            to = DAYS_IN_WEEK;
        }
        if (from > to) {
            throw field.refusal(text, "is a range that runs backwards: write it as two ranges");
        }
        return values(from, to, step);
    }

    private Element on(On on) {
        var special = on.getSpecialChar().getValue();
        if (!takes(special)) {
            throw field.refusal(text);
        }
        return switch (special) {
            case NONE -> values(inRange(on.getTime()), inRange(on.getTime()), 1);
            case L -> field == Field.DAY_OF_MONTH ? beforeLast(on) : new Element.LastOf(weekday(on));
            case LW -> new Element.LastWorkday();
            case W -> new Element.NearestWorkday(inRange(on.getTime()));
            case HASH -> nth(on);
            case QUESTION_MARK -> throw field.refusal(text);
        };
    }

    /** The library's parser takes some of these in every field. */
    private boolean takes(SpecialChar special) {
        return switch (special) {
            case NONE -> true;
            case L -> field == Field.DAY_OF_MONTH || field == Field.DAY_OF_WEEK;
            case LW, W -> field == Field.DAY_OF_MONTH;
            case HASH -> field == Field.DAY_OF_WEEK;
            case QUESTION_MARK -> false;
        };
    }

    private Element beforeLast(On on) {
        if (!text.startsWith("L")) {
            throw field.refusal(text);
        }
        var days = text.equals("L") ? 0 : on.getNth().getValue();
        if (days < 0 || days > MAX_BEFORE_LAST) {
            throw field.refusal(text, "is not in L-1 to L-" + MAX_BEFORE_LAST);
        }
        return new Element.BeforeLast(days);
    }

    private Element nth(On on) {
        var nth = on.getNth().getValue();
        if (nth < 1 || nth > MAX_NTH) {
            throw field.refusal(text, "asks for a day that no month has: after # comes 1-" + MAX_NTH);
        }
        return new Element.NthOf(weekday(on), nth);
    }

    private int weekday(On on) {
        if (text.equals("L")) {
            throw field.refusal(text, "does not say which day is the last of the month: write SATL, say");
        }
        return inRange(on.getTime()) % DAYS_IN_WEEK;
    }

    private int inRange(IntegerFieldValue value) {
        if (!field.has(value.getValue())) {
            throw field.refusal(text);
        }
        return value.getValue();
    }

    private Element values(int from, int to, int step) {
        var bits = 0L;
        for (var value = from; value <= to; value += step) {
            bits |= 1L << (field == Field.DAY_OF_WEEK ? value % DAYS_IN_WEEK : value);
        }
        return new Element.Values(bits);
    }
}
