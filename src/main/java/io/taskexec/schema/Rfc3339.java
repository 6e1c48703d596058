package io.taskexec.schema;

import java.time.YearMonth;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.everit.json.schema.FormatValidator;

/**
 * The formats {@code date-time}, {@code date} and {@code time}, as RFC 3339 has them. The library takes 30 February,
 * 24:00:00 and years of ten digits, and refuses small letters and leap seconds.
 */
enum Rfc3339 implements FormatValidator {
    DATE_TIME("date-time", Grammar.DATE + "[Tt]" + Grammar.TIME),
    DATE("date", Grammar.DATE),
    TIME("time", Grammar.TIME);

    private static final int MINUTES_OF_HOUR = 60;
    private static final int MINUTES_OF_DAY = 24 * MINUTES_OF_HOUR;
    private static final int MOST_MONTHS = 12;
    private static final int MOST_HOURS = 23;
    private static final int MOST_MINUTES = 59;
    private static final int MOST_SECONDS = 59;
    private static final int LEAP_SECOND = 60;

    /** Enough for every valid text with a sensible fraction of a second. */
    private static final int MAX_CHARACTERS = 64;

    private final String formatName;
    private final Pattern pattern;

    Rfc3339(String formatName, String pattern) {
        this.formatName = formatName;
        this.pattern = Pattern.compile(pattern);
    }

    /** The texts of section 5.6. */
    private static final class Grammar {
        static final String DATE = "(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})";
        static final String TIME = "(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})(?:\\.[0-9]+)?"
                + "(?:[Zz]|(?<sign>[+-])(?<offsetHour>[0-9]{2}):(?<offsetMinute>[0-9]{2}))";
    }

    @Override
    public Optional<String> validate(String text) {
        return text.length() <= MAX_CHARACTERS && isValid(pattern.matcher(text))
                ? Optional.empty()
                : Optional.of("[" + Excerpt.of(text) + "] is not a valid " + formatName + " of RFC 3339");
    }

    private boolean isValid(Matcher text) {
        return text.matches() && (this == TIME || isDate(text)) && (this == DATE || isTime(text));
    }

    private static boolean isDate(Matcher text) {
        var month = number(text, "month");
        return month >= 1
                && month <= MOST_MONTHS
                && YearMonth.of(number(text, "year"), month).isValidDay(number(text, "day"));
    }

    private static boolean isTime(Matcher text) {
        var hour = number(text, "hour");
        var minute = number(text, "minute");
        var second = number(text, "second");
        var offset = 0;
        if (text.group("sign") != null) {
            var offsetHour = number(text, "offsetHour");
            var offsetMinute = number(text, "offsetMinute");
            if (offsetHour > MOST_HOURS || offsetMinute > MOST_MINUTES) {
                return false;
            }
            offset = offsetHour * MINUTES_OF_HOUR + offsetMinute;
            offset = text.group("sign").equals("-") ? -offset : offset;
        }
        var utc = Math.floorMod(hour * MINUTES_OF_HOUR + minute - offset, MINUTES_OF_DAY);
        // A leap second is the last of a day of UTC; of which days is known only some months ahead.
        var isLeap = second == LEAP_SECOND && utc == MINUTES_OF_DAY - 1;
        return hour <= MOST_HOURS && minute <= MOST_MINUTES && (second <= MOST_SECONDS || isLeap);
    }

    private static int number(Matcher text, String group) {
        return Integer.parseInt(text.group(group));
    }

    @Override
    public String formatName() {
        return formatName;
    }
}
