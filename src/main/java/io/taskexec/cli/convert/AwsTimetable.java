package io.taskexec.cli.convert;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts the expressions {@code cron(...)}, {@code rate(...)} and {@code at(...)} of EventBridge. */
record AwsTimetable(
        TimetableDraft timetable,
        String zone,
        @Nullable Instant startsAt,
        @Nullable Instant endsAt) {
    private static final Pattern EXPRESSION = Pattern.compile("(cron|rate|at)\\s*\\((.*)\\)");
    private static final Pattern RATE = Pattern.compile("(\\d{1,9}) +(minute|hour|day)s?");
    private static final Pattern WEEKDAY = Pattern.compile("([A-Z1-7]+)(?:-([A-Z1-7]+))?(?:/(\\d))?");
    private static final Pattern YEARS = Pattern.compile("(\\d{4})(?:-(\\d{4}))?");
    private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
    private static final Map<String, Duration> UNITS =
            Map.of("minute", Duration.ofMinutes(1), "hour", Duration.ofHours(1), "day", Duration.ofDays(1));
    private static final int FIELDS = 6;
    private static final int DAY_OF_WEEK = 4;
    private static final int YEAR = 5;

    void set(String text) throws NoEquivalentException {
        var expression = EXPRESSION.matcher(text.strip());
        if (!expression.matches()) {
            throw unknown(text);
        }
        var inner = expression.group(2).strip();
        try {
            switch (expression.group(1)) {
                case "rate" -> rate(inner);
                case "at" -> at(inner);
                default -> cron(inner);
            }
        } catch (DateTimeException _) {
            throw unknown(text + " " + zone);
        }
    }

    private static NoEquivalentException unknown(String text) {
        return new NoEquivalentException("the expression '" + text + "' is not known.");
    }

    private void rate(String text) throws NoEquivalentException {
        var rate = RATE.matcher(text);
        if (!rate.matches()) {
            throw unknown("rate(" + text + ")");
        }
        var unit = UNITS.getOrDefault(rate.group(2), Duration.ZERO);
        timetable.every(unit.multipliedBy(Long.parseLong(rate.group(1))), startsAt, endsAt);
    }

    /** Manifests have schedules alone. */
    private void at(String text) throws NoEquivalentException {
        var time = LocalDateTime.parse(text).atZone(ZoneId.of(zone)).toOffsetDateTime();
        if (time.toInstant().isBefore(timetable.now())) {
            throw new NoEquivalentException("it has ended, at " + time + ".");
        }
        throw new NoEquivalentException("it fires once, and manifests have schedules alone. When the endpoint is"
                + " there: taskexec jobs create --endpoint " + timetable.draft().name() + " --at " + time);
    }

    private void cron(String text) throws NoEquivalentException {
        var fields = text.toUpperCase(Locale.ROOT).split("\\s+");
        if (fields.length != FIELDS) {
            throw unknown("cron(" + text + ")");
        }
        var start = startsAt;
        var end = endsAt;
        if (!fields[YEAR].equals("*")) {
            var years = years(fields[YEAR]);
            start = later(start, january(years.getFirst()));
            end = earlier(end, january(years.getLast() + 1));
        }
        fields[DAY_OF_WEEK] = weekdays(fields[DAY_OF_WEEK]);
        var five = List.of(fields).subList(0, YEAR).stream()
                .map(field -> field.equals("?") ? "*" : field)
                .collect(Collectors.joining(" "));
        timetable.cron(five, zone, start, end);
    }

    private static List<Integer> years(String field) throws NoEquivalentException {
        var years = new ArrayList<Integer>();
        for (var part : field.split(",", -1)) {
            var found = YEARS.matcher(part);
            if (!found.matches()) {
                throw new NoEquivalentException("the years " + field + " are not one span of time.");
            }
            var first = Integer.parseInt(found.group(1));
            var last = found.group(2) == null ? first : Integer.parseInt(found.group(2));
            for (var year = first; year <= last; year++) {
                years.add(year);
            }
        }
        for (var i = 1; i < years.size(); i++) {
            if (years.get(i) != years.get(i - 1) + 1) {
                throw new NoEquivalentException("the years " + field + " are not one span of time.");
            }
        }
        if (years.isEmpty()) {
            throw new NoEquivalentException("the years " + field + " are not one span of time.");
        }
        return years;
    }

    private Instant january(int year) {
        return LocalDate.of(year, 1, 1).atStartOfDay(ZoneId.of(zone)).toInstant();
    }

    private static Instant later(@Nullable Instant one, Instant other) {
        return one != null && one.isAfter(other) ? one : other;
    }

    private static Instant earlier(@Nullable Instant one, Instant other) {
        return one != null && one.isBefore(other) ? one : other;
    }

    /** Days of the week are 1-7 from Sunday on, and names afterwards: numbers differ by one. */
    private static String weekdays(String field) throws NoEquivalentException {
        var parts = new ArrayList<String>();
        for (var part : field.split(",", -1)) {
            parts.add(weekday(part));
        }
        return String.join(",", parts);
    }

    private static String weekday(String part) throws NoEquivalentException {
        if (part.equals("*") || part.equals("?")) {
            return part;
        }
        if (part.startsWith("*/")) {
            return "SUN-SAT" + part.substring(1);
        }
        if (part.equals("L")) {
            return "SAT";
        }
        if (part.contains("#")) {
            var hash = part.indexOf('#');
            return DAYS.get(day(part.substring(0, hash))) + part.substring(hash);
        }
        if (part.endsWith("L")) {
            return DAYS.get(day(part.substring(0, part.length() - 1))) + "L";
        }
        var found = WEEKDAY.matcher(part);
        if (!found.matches()) {
            throw new NoEquivalentException("the day of the week " + part + " is not known.");
        }
        var from = day(found.group(1));
        if (found.group(2) == null && found.group(3) == null) {
            return DAYS.get(from);
        }
        var to = found.group(2) == null ? DAYS.size() - 1 : day(found.group(2));
        var step = found.group(3) == null ? 1 : Math.max(1, Integer.parseInt(found.group(3)));
        if (step == 1 && from < to) {
            return DAYS.get(from) + "-" + DAYS.get(to);
        }
        var days = new ArrayList<String>();
        for (var day = from; day <= (to < from ? to + DAYS.size() : to); day += step) {
            days.add(DAYS.get(day % DAYS.size()));
        }
        return String.join(",", days);
    }

    /** The place of a day in a week from Sunday on. */
    private static int day(String text) throws NoEquivalentException {
        var place = text.matches("[1-7]") ? Integer.parseInt(text) - 1 : DAYS.indexOf(text);
        if (place < 0) {
            throw new NoEquivalentException("the day of the week " + text + " is not known.");
        }
        return place;
    }
}
