package io.taskexec.schedule;

import java.time.YearMonth;

/** Computes the days of one month that elements name, as bits from 1. */
final class MonthDays {
    private static final int DAYS_IN_WEEK = 7;

    private final YearMonth month;
    private final int length;
    private final int firstWeekday;

    MonthDays(YearMonth month) {
        this.month = month;
        this.length = month.lengthOfMonth();
        this.firstWeekday = month.atDay(1).getDayOfWeek().getValue() % DAYS_IN_WEEK;
    }

    long of(FieldValues field) {
        var days = 0L;
        for (var element : field.elements()) {
            days |= of(field.field(), element);
        }
        return days & ((2L << length) - 2);
    }

    private long of(Field field, Element element) {
        return switch (element) {
            case Element.Values(var bits) -> field == Field.DAY_OF_WEEK ? weekdays(bits) : bits;
            case Element.BeforeLast(var days) -> days < length ? 1L << (length - days) : 0;
            case Element.LastWorkday() -> nearestWorkday(length);
            case Element.NearestWorkday(var day) -> day <= length ? nearestWorkday(day) : 0;
            case Element.LastOf(var weekday) ->
                1L << (length - (weekday(length) - weekday + DAYS_IN_WEEK) % DAYS_IN_WEEK);
            case Element.NthOf(var weekday, var nth) ->
                1L << (1 + (weekday - firstWeekday + DAYS_IN_WEEK) % DAYS_IN_WEEK + DAYS_IN_WEEK * (nth - 1));
        };
    }

    private long weekdays(long bits) {
        var days = 0L;
        for (var day = 1; day <= length; day++) {
            days |= (bits >>> weekday(day) & 1) << day;
        }
        return days;
    }

    private int weekday(int day) {
        return (firstWeekday + day - 1) % DAYS_IN_WEEK;
    }

    private long nearestWorkday(int day) {
        var date = month.atDay(day);
        return 1L
                << switch (date.getDayOfWeek()) {
                    case SATURDAY -> day == 1 ? day + 2 : day - 1;
                    case SUNDAY -> day == length ? day - 2 : day + 1;
                    case MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY -> day;
                };
    }
}
