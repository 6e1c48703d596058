package io.taskexec.schedule;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts an expression into English words. */
record CronWords(CronFields fields) {
    private static final int MAX_TIMES = 6;
    private static final int HOUR = 60;
    private static final int DAY = 24;
    private static final List<String> ORDINALS = List.of("", "first", "second", "third", "fourth", "fifth");

    /** As in {@code at 09:00 on Monday to Friday}. */
    String text() {
        return Stream.of(times(), days(), months())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private String times() {
        var minutes = Words.ones(fields.minute().bits());
        var hours = Words.ones(fields.hour().bits());
        if (hours.size() == DAY) {
            return everyHour(minutes);
        }
        if (minutes.equals(List.of(0)) && isEven(hours, DAY)) {
            return "every " + Words.step(hours) + " hours";
        }
        if (minutes.size() * hours.size() <= MAX_TIMES) {
            return "at " + clockTimes(hours, minutes);
        }
        var within = minutes.size() == HOUR ? "every minute" : "at minute " + numbers(fields.minute());
        return within + " of hour " + numbers(fields.hour());
    }

    private String everyHour(List<Integer> minutes) {
        if (minutes.size() == HOUR) {
            return "every minute";
        }
        if (minutes.equals(List.of(0))) {
            return "every hour";
        }
        return isEven(minutes, HOUR)
                ? "every " + Words.step(minutes) + " minutes"
                : "at minute " + numbers(fields.minute()) + " of every hour";
    }

    /** Whether the values divide the whole from 0 on into equal parts. */
    private static boolean isEven(List<Integer> values, int whole) {
        return values.getFirst() == 0 && Words.step(values) * values.size() == whole;
    }

    private static String clockTimes(List<Integer> hours, List<Integer> minutes) {
        var times = new ArrayList<String>();
        for (var hour : hours) {
            for (var minute : minutes) {
                times.add("%02d:%02d".formatted(hour, minute));
            }
        }
        return Words.list(times, "and");
    }

    private String days() {
        var ofMonth = phrase(fields.dayOfMonth());
        var ofWeek = phrase(fields.dayOfWeek());
        if (ofMonth.isEmpty() && ofWeek.isEmpty()) {
            return times().startsWith("at ") && !times().endsWith("every hour") ? "every day" : "";
        }
        if (ofMonth.isEmpty() || ofWeek.isEmpty()) {
            return "on " + ofMonth + ofWeek;
        }
        var both = fields.dayOfMonth().startsWithStar() || fields.dayOfWeek().startsWithStar();
        return "on " + ofMonth + (both ? " if that is " : " or on ") + ofWeek;
    }

    private static String phrase(FieldValues field) {
        if (field.isStar()) {
            return "";
        }
        var phrases = new ArrayList<String>();
        if (field.bits() != 0) {
            phrases.add(
                    field.field() == Field.DAY_OF_WEEK
                            ? Words.values(field.bits(), CronWords::weekday)
                            : "day " + numbers(field) + " of the month");
        }
        field.elements().stream()
                .filter(element -> !(element instanceof Element.Values))
                .map(CronWords::special)
                .forEach(phrases::add);
        return Words.list(phrases, "and");
    }

    private static String special(Element element) {
        return switch (element) {
            case Element.Values _ -> "";
            case Element.BeforeLast(var days) ->
                days == 0 ? "the last day of the month" : "day " + days + " before the last of the month";
            case Element.LastWorkday() -> "the last workday of the month";
            case Element.NearestWorkday(var day) -> "the workday nearest to day " + day + " of the month";
            case Element.LastOf(var day) -> "the last " + weekday(day) + " of the month";
            case Element.NthOf(var day, var nth) -> "the " + ORDINALS.get(nth) + " " + weekday(day) + " of the month";
        };
    }

    private String months() {
        return fields.month().isStar()
                ? ""
                : "in " + Words.values(fields.month().bits(), CronWords::month);
    }

    private static String numbers(FieldValues field) {
        return Words.values(field.bits(), String::valueOf);
    }

    private static String weekday(int value) {
        return DayOfWeek.SUNDAY.plus(value).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    private static String month(int value) {
        return Month.of(value).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }
}
