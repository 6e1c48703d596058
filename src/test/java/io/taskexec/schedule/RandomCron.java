package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A random expression, and what it means, said a second time in the plainest way. Only which value an {@code H} has is
 * asked of the code, and looked at.
 *
 * @param seed of {@code H}
 * @param dayTest what the two fields for days and the month mean together
 */
record RandomCron(String text, long seed, boolean everyHour, Part minute, Part hour, Predicate<LocalDateTime> dayTest) {
    private static final String[] WEEKDAYS = {"SUN", "mon", "Tue", "WED", "THU", "FRI", "SAT", "SUN"};
    private static final String[] MONTHS = {
        "", "JAN", "feb", "Mar", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"
    };
    private static final Names DIGITS = String::valueOf;
    private static final int SHORT_MONTH = 28;
    private static final int FIELDS = 5;

    /** The spellings of the values of a field. */
    private interface Names {
        String of(int value);
    }

    /** Part of an expression with the local times that match it. */
    record Part(String text, Predicate<LocalDateTime> test) {
        private Part or(Part other) {
            return new Part(text + "," + other.text, test.or(other.test));
        }

        private boolean startsWithStar() {
            return text.startsWith("*");
        }
    }

    /** Makes the values of one field; {@code value} is 0 for Sunday. */
    private record Maker(Random random, int min, int max, Names names, Function<LocalDateTime, Integer> value) {
        Part any() {
            var first = one();
            return random.nextInt(3) == 0 ? first.or(one()) : first;
        }

        private Part one() {
            var from = min + random.nextInt(max - min + 1);
            var to = from + random.nextInt(max - from + 1);
            var step = 1 + random.nextInt(Math.min(max, 20));
            return switch (random.nextInt(6)) {
                case 0 -> new Part("*", _ -> true);
                case 1 -> values("*/" + step, min, max, step);
                // As a name, the Sunday at the end of a week would be the one at its start.
                case 2 -> values(to == 7 ? from + "-" + to : names.of(from) + "-" + names.of(to), from, to, 1);
                case 3 -> values((to == 7 ? from : names.of(from)) + "-" + to + "/" + step, from, to, step);
                case 4 -> values((from == 7 ? "7" : names.of(from)) + "/" + step, from, max, step);
                default -> values(names.of(from), from, from, 1);
            };
        }

        private Part values(String text, int from, int to, int step) {
            var values = new BitSet();
            for (var it = from; it <= to; it += step) {
                values.set(max == 7 ? it % 7 : it);
            }
            return new Part(text, time -> values.get(value.apply(time)));
        }
    }

    /** Makes the values of one field that a seed decides; {@code position} is that of the field. */
    private record Hash(
            Random random, long seed, int position, int min, int max, Function<LocalDateTime, Integer> value) {
        Part any() {
            var from = min + random.nextInt(max - min + 1);
            var to = from + random.nextInt(max - from + 1);
            var step = 1 + random.nextInt(max - min + 1);
            return switch (random.nextInt(3)) {
                case 0 -> part("H", min, max, 0);
                case 1 -> part("H(" + from + "-" + to + ")", from, to, 0);
                default -> part("H/" + step, min, max, step);
            };
        }

        /** @param step 0 for a single value */
        private Part part(String text, int from, int to, int step) {
            var first = Integer.parseInt(chosen(text).split("[-/]", -1)[0]);
            assertThat(first).as(text).isBetween(from, step == 0 ? to : from + step - 1);
            return new Part(text, time -> {
                var it = value.apply(time);
                return it == first || (step > 0 && it > first && it <= to && (it - first) % step == 0);
            });
        }

        /** What stands for {@code text} in the plain form. */
        private String chosen(String text) {
            var fields = new String[FIELDS];
            Arrays.fill(fields, "*");
            fields[position] = text;
            return CronSchedule.parse(String.join(" ", fields), "UTC", seed)
                    .normalized()
                    .split(" ", -1)[position];
        }
    }

    static RandomCron of(Random random) {
        return random.nextInt(20) == 0 ? macro(random) : fields(random);
    }

    private static RandomCron macro(Random random) {
        Predicate<LocalDateTime> always = _ -> true;
        Predicate<LocalDateTime> first = time -> time.getDayOfMonth() == 1;
        var start = new Part("0", time -> time.getMinute() == 0);
        var midnight = new Part("0", time -> time.getHour() == 0);
        return switch (random.nextInt(5)) {
            case 0 -> new RandomCron("@hourly", 0, true, start, new Part("*", always), always);
            case 1 -> new RandomCron("@Daily", 0, false, start, midnight, always);
            case 2 -> new RandomCron("@weekly", 0, false, start, midnight, time -> weekday(time) == 0);
            case 3 -> new RandomCron("@monthly", 0, false, start, midnight, first);
            default ->
                new RandomCron("@yearly", 0, false, start, midnight, first.and(time -> time.getMonthValue() == 1));
        };
    }

    private static RandomCron fields(Random random) {
        var seed = random.nextLong();
        var star = new Part("*", _ -> true);
        var minute = new Maker(random, 0, 59, DIGITS, LocalDateTime::getMinute).any();
        var hour = new Maker(random, 0, 23, DIGITS, LocalDateTime::getHour).any();
        var month = new Maker(random, 1, 12, mixed(random, MONTHS), LocalDateTime::getMonthValue).any();
        var dayOfMonth = random.nextBoolean() ? star : dayOfMonth(random);
        var dayOfWeek = random.nextBoolean() ? star : dayOfWeek(random);
        if (random.nextInt(3) == 0) {
            minute = new Hash(random, seed, 0, 0, 59, LocalDateTime::getMinute).any();
            hour = random.nextBoolean() ? hour : new Hash(random, seed, 1, 0, 23, LocalDateTime::getHour).any();
            dayOfMonth = random.nextInt(3) > 0
                    ? dayOfMonth
                    : new Hash(random, seed, 2, 1, SHORT_MONTH, LocalDateTime::getDayOfMonth).any();
            dayOfWeek = random.nextInt(3) > 0 ? dayOfWeek : new Hash(random, seed, 4, 0, 6, RandomCron::weekday).any();
        }
        var both = dayOfMonth.startsWithStar() || dayOfWeek.startsWithStar();
        var days = both
                ? dayOfMonth.test().and(dayOfWeek.test())
                : dayOfMonth.test().or(dayOfWeek.test());
        var used = random.nextInt(3) == 0 ? month : star;
        var text = String.join(
                random.nextInt(5) == 0 ? " \t " : " ",
                minute.text(),
                hour.text(),
                dayOfMonth.text(),
                used.text(),
                dayOfWeek.text());
        return new RandomCron(text, seed, hour.startsWithStar(), minute, hour, days.and(used.test()));
    }

    boolean matches(LocalDateTime time) {
        return minute.test().test(time) && hour.test().test(time) && dayTest.test(time);
    }

    /** Looks at every day of the 400 years after which the calendar repeats. */
    boolean everFires() {
        var start = LocalDate.of(2000, 1, 1);
        return start.datesUntil(start.plusYears(400)).anyMatch(day -> dayTest.test(day.atStartOfDay()));
    }

    private static Part dayOfMonth(Random random) {
        var plain = new Maker(random, 1, 31, DIGITS, LocalDateTime::getDayOfMonth).any();
        var day = 1 + random.nextInt(31);
        var before = 1 + random.nextInt(30);
        return switch (random.nextInt(8)) {
            case 0 -> new Part("L", time -> day(time, 1).getDayOfMonth() == 1);
            case 1 -> new Part("l-" + before, time -> fromEnd(time) == before);
            case 2 -> new Part(day + "W", time -> isNearestWorkday(time.toLocalDate(), day));
            case 3 -> plain.or(new Part("LW", time -> isNearestWorkday(time.toLocalDate(), length(time))));
            case 4 -> new Part(day + "w", time -> isNearestWorkday(time.toLocalDate(), day)).or(plain);
            default -> plain;
        };
    }

    private static Part dayOfWeek(Random random) {
        var plain = new Maker(random, 0, 7, mixed(random, WEEKDAYS), RandomCron::weekday).any();
        var weekday = random.nextInt(8);
        var name = mixed(random, WEEKDAYS).of(weekday);
        var nth = 1 + random.nextInt(5);
        Predicate<LocalDateTime> isDay = time -> weekday(time) == weekday % 7;
        return switch (random.nextInt(6)) {
            case 0 -> new Part(name + "#" + nth, isDay.and(time -> (time.getDayOfMonth() + 6) / 7 == nth));
            case 1 -> plain.or(new Part(name + "L", isDay.and(time -> fromEnd(time) < 7)));
            default -> plain;
        };
    }

    private static Names mixed(Random random, String[] names) {
        return value -> random.nextBoolean() ? names[value].toUpperCase(Locale.ROOT) : String.valueOf(value);
    }

    private static int weekday(LocalDateTime time) {
        return time.getDayOfWeek().getValue() % 7;
    }

    private static LocalDate day(LocalDateTime time, int later) {
        return time.toLocalDate().plusDays(later);
    }

    private static int length(LocalDateTime time) {
        return time.toLocalDate().lengthOfMonth();
    }

    private static int fromEnd(LocalDateTime time) {
        return length(time) - time.getDayOfMonth();
    }

    /** Looks around {@code day}, farther and farther, for the first workday of the month. */
    private static boolean isNearestWorkday(LocalDate date, int day) {
        if (day > date.lengthOfMonth()) {
            return false;
        }
        for (var distance = 0; distance < 3; distance++) {
            for (var candidate : new int[] {day - distance, day + distance}) {
                var inMonth = candidate >= 1 && candidate <= date.lengthOfMonth();
                if (inMonth && date.withDayOfMonth(candidate).getDayOfWeek().getValue() < 6) {
                    return date.getDayOfMonth() == candidate;
                }
            }
        }
        return false;
    }
}
