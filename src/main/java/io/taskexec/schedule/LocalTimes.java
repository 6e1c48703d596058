package io.taskexec.schedule;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The local times of an expression, as if clocks never changed. */
final class LocalTimes {
    /** After so many months the calendar repeats, weekdays included: what has not come by then never comes. */
    private static final int MONTHS_IN_CYCLE = 400 * 12;

    private final FieldValues dayOfMonth;
    private final FieldValues dayOfWeek;
    private final boolean bothDays;
    private final long months;
    private final long hours;
    private final long minutes;

    LocalTimes(CronFields fields) {
        dayOfMonth = fields.dayOfMonth();
        dayOfWeek = fields.dayOfWeek();
        bothDays = dayOfMonth.startsWithStar() || dayOfWeek.startsWithStar();
        months = fields.month().bits();
        hours = fields.hour().bits();
        minutes = fields.minute().bits();
    }

    /** The first local time that is not before {@code from}, null when there is none. */
    @Nullable
    LocalDateTime atOrAfter(LocalDateTime from) {
        var minute = from.truncatedTo(ChronoUnit.MINUTES);
        var start = minute.isBefore(from) ? minute.plusMinutes(1) : minute;
        var date = dateAtOrAfter(start.toLocalDate());
        if (date != null && date.equals(start.toLocalDate())) {
            var time = timeAtOrAfter(start.getHour(), start.getMinute());
            if (time != null) {
                return date.atTime(time);
            }
            date = dateAtOrAfter(date.plusDays(1));
        }
        return date == null ? null : date.atTime(first(hours, 0), first(minutes, 0));
    }

    private @Nullable LocalTime timeAtOrAfter(int hour, int minute) {
        var later = first(minutes, minute);
        if ((hours >>> hour & 1) != 0 && later < Long.SIZE) {
            return LocalTime.of(hour, later);
        }
        var next = first(hours, hour + 1);
        return next < Long.SIZE ? LocalTime.of(next, first(minutes, 0)) : null;
    }

    private @Nullable LocalDate dateAtOrAfter(LocalDate from) {
        var month = YearMonth.from(from);
        var day = first(days(month), from.getDayOfMonth());
        for (var i = 0; day == Long.SIZE && i <= MONTHS_IN_CYCLE; i++) {
            month = month.plusMonths(1);
            day = first(days(month), 1);
        }
        return day == Long.SIZE ? null : month.atDay(day);
    }

    /**
     * The days of a month. As in crontab(5), a day has to be in both fields when one of them starts with {@code *}, and
     * else in one of them.
     */
    private long days(YearMonth month) {
        if ((months >>> month.getMonthValue() & 1) == 0) {
            return 0;
        }
        var days = new MonthDays(month);
        return bothDays ? days.of(dayOfMonth) & days.of(dayOfWeek) : days.of(dayOfMonth) | days.of(dayOfWeek);
    }

    /** The first set bit from {@code from} on, {@link Long#SIZE} when there is none. */
    private static int first(long bits, int from) {
        return Long.numberOfTrailingZeros(bits & -1L << from);
    }
}
