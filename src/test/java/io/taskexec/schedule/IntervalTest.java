package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntervalTest {
    private static final Instant ANCHOR = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "PT10S, 2025-01-01T00:00:00Z, 2026-01-01T00:00:00Z",
        "PT10S, 2025-12-31T23:59:59.999Z, 2026-01-01T00:00:00Z",
        "PT10S, 2026-01-01T00:00:00Z, 2026-01-01T00:00:10Z",
        "PT10S, 2026-01-01T00:00:09.999999999Z, 2026-01-01T00:00:10Z",
        "PT10S, 2026-01-01T00:00:10Z, 2026-01-01T00:00:20Z",
        "PT1.5S, 2026-01-01T00:00:01.6Z, 2026-01-01T00:00:03Z",
        "P1D, 2026-03-29T12:00:00Z, 2026-03-30T00:00:00Z",
        "PT7H, 2126-01-01T00:00:00Z, 2126-01-01T06:00:00Z"
    })
    void ticksAreTheAnchorAndWholeIntervalsAfterIt(String every, Instant after, Instant expected) {
        assertThat(Interval.parse(every, ANCHOR).next(after)).isEqualTo(expected);
    }

    @Test
    void ticksNeverDriftFromTheAnchor() {
        var interval = new Interval(Duration.ofMillis(1_001), ANCHOR);
        var expected =
                Stream.iterate(ANCHOR, at -> at.plusMillis(1_001)).limit(10_000).toList();

        assertThat(interval.between(ANCHOR.minusNanos(1), Instant.MAX, 10_000)).isEqualTo(expected);
    }

    @Test
    void ticksEndWithTheYear9999() {
        var longest = new Interval(Duration.ofDays(36_525), Instant.parse("9950-01-01T00:00:00Z"));
        var secondly = new Interval(Duration.ofSeconds(1), Schedule.EARLIEST);

        assertThat(longest.next(Instant.MIN)).isEqualTo("9950-01-01T00:00:00Z");
        assertThat(longest.next(Instant.parse("9950-01-01T00:00:00Z"))).isNull();
        assertThat(longest.next(Instant.MAX)).isNull();
        assertThat(secondly.next(Instant.MIN)).isEqualTo(Schedule.EARLIEST);
        assertThat(secondly.next(Schedule.LATEST.minusSeconds(1))).isEqualTo("9999-12-31T23:59:59Z");
        assertThat(secondly.next(Schedule.LATEST)).isNull();
        assertThat(secondly.next(Instant.MAX)).isNull();
    }

    @Test
    void theAnchorIsCutToMilliseconds() {
        assertThat(new Interval(Duration.ofSeconds(1), ANCHOR.plusNanos(1_999_999)).anchor())
                .isEqualTo(ANCHOR.plusMillis(1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PT0.999S  | The interval PT0.999S is shorter than a second",
                "PT0S      | The interval PT0S is shorter than a second",
                "PT-5S     | The interval PT-5S is shorter than a second",
                "P36526D   | The interval PT876624H is longer than 36525 days",
                "PT1.0001S | The interval PT1.0001S is not in whole milliseconds",
                "5m        | The interval \"5m\" is not an ISO-8601 duration such as PT15M or P1DT12H",
                "P1M       | The interval \"P1M\" is not an ISO-8601 duration such as PT15M or P1DT12H",
                "PT99999999999999999999S | The interval \"PT99999999999999999999S\" is not an ISO-8601 duration such"
                        + " as PT15M or P1DT12H"
            })
    void aWrongIntervalIsRefusedWithASentence(String every, String sentence) {
        assertThatThrownBy(() -> Interval.parse(every, ANCHOR))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage(sentence.replace('"', '\''));
    }

    @Test
    void anAnchorOutsideOfTheCalendarIsRefused() {
        assertThatThrownBy(() -> Interval.parse("PT1S", Instant.MAX))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessage("The interval starts outside of the years 0 to 9999");
    }

    @ParameterizedTest
    @CsvSource({
        "PT15M, every 15 minutes",
        "PT1H, every hour",
        "P1DT1H30M, every 1 day 1 hour 30 minutes",
        "PT1.5S, every 1 second 500 milliseconds"
    })
    void anIntervalIsSaidInWords(String every, String words) {
        assertThat(Interval.parse(every, ANCHOR).describe()).isEqualTo(words + " from 2026-01-01T00:00:00Z");
    }
}
