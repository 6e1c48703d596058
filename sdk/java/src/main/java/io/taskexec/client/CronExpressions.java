package io.taskexec.client;

import java.time.DayOfWeek;

/** Writes cron expressions of five fields. */
final class CronExpressions {
    private static final int DAYS_OF_WEEK = 7;

    private CronExpressions() {}

    static String hourly(int minute) {
        return minute(minute) + " * * * *";
    }

    static String daily(int hour, int minute) {
        return minute(minute) + " " + hour(hour) + " * * *";
    }

    /** In cron, Sunday is 0. */
    static String weekly(DayOfWeek day, int hour, int minute) {
        return minute(minute) + " " + hour(hour) + " * * " + day.getValue() % DAYS_OF_WEEK;
    }

    static String monthly(int day, int hour, int minute) {
        return minute(minute) + " " + hour(hour) + " " + inRange(day, 1, 31, "day") + " * *";
    }

    private static int minute(int minute) {
        return inRange(minute, 0, 59, "minute");
    }

    private static int hour(int hour) {
        return inRange(hour, 0, 23, "hour");
    }

    private static int inRange(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("The %s must be from %d to %d: %d".formatted(what, least, most, value));
        }
        return value;
    }
}
