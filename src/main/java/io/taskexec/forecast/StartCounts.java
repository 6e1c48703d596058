package io.taskexec.forecast;

import java.util.Arrays;

/** Counts the starts of each minute by where they come from. */
final class StartCounts {
    private final double[] scheduled;
    private final double[] delayed;
    private final double[] historical;
    private double held;

    StartCounts(int minutes) {
        this.scheduled = new double[minutes];
        this.delayed = new double[minutes];
        this.historical = new double[minutes];
    }

    double[] scheduled() {
        return scheduled;
    }

    double[] delayed() {
        return delayed;
    }

    double[] historical() {
        return historical;
    }

    /** The starts that wait for an operator, or for longer than the horizon. */
    double held() {
        return held;
    }

    /**
     * Returns what adds starts to one of the series.
     *
     * @param opens the minute before which nothing starts: what would starts then
     */
    Starts into(double[] series, int opens) {
        return (millis, count) -> {
            var minute = Math.max(Horizon.minute(millis), opens);
            if (minute < series.length) {
                series[minute] += count;
            } else {
                held += count;
            }
        };
    }

    /** All starts of each minute. */
    double[] expected() {
        var sums = scheduled.clone();
        for (var minute = 0; minute < sums.length; minute++) {
            sums[minute] += delayed[minute] + historical[minute];
        }
        return sums;
    }

    static double total(double[] series) {
        return Arrays.stream(series).sum();
    }
}
