package io.taskexec.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.taskexec.model.activity.EndpointActivity;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentAttemptsTest {
    private static final long MILLI = Duration.ofMillis(1).toNanos();

    private final AtomicLong now = new AtomicLong();
    private final AtomicLong total = new AtomicLong(100);
    private final RecentAttempts attempts = new RecentAttempts(now::get);

    private void pass(int seconds) {
        now.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private EndpointActivity of(String endpoint) {
        return find(endpoint).orElseThrow();
    }

    private Optional<EndpointActivity> find(String endpoint) {
        return attempts.busiest(Map.of(), 1_000).stream()
                .filter(one -> one.endpoint().equals(endpoint))
                .findFirst();
    }

    @Test
    void callsCountForAMinuteWithTheirFailuresAndTimes() {
        for (var i = 0; i < 90; i++) {
            attempts.ended("mail", false, 20 * MILLI);
        }
        pass(30);
        for (var i = 0; i < 10; i++) {
            attempts.ended("mail", true, 3_000 * MILLI);
        }

        var mail = of("mail");
        assertThat(mail.attempts()).isEqualTo(100);
        assertThat(mail.failures()).isEqualTo(10);
        assertThat(Objects.requireNonNull(mail.latencies().percentileMs(0.5))).isBetween(20.0, 22.1);
        assertThat(Objects.requireNonNull(mail.latencies().percentileMs(0.95))).isBetween(3_000.0, 3_320.0);

        pass(31);
        assertThat(of("mail").attempts()).isEqualTo(10);
        pass(30);
        assertThat(find("mail")).isEmpty();
        attempts.ended("mail", false, 5);
        assertThat(of("mail").attempts()).isEqualTo(1);
    }

    @Test
    void whatRunsIsToldAlsoWhenNothingHasEnded() {
        attempts.ended("mail", false, MILLI);

        assertThat(attempts.busiest(Map.of("slow", 3, "mail", 1), 5))
                .extracting(EndpointActivity::endpoint, EndpointActivity::running, EndpointActivity::attempts)
                .containsExactly(tuple("slow", 3, 0L), tuple("mail", 1, 1L));
    }

    @Test
    void theBusiestAreToldAndABusyNewcomerGetsAPlace() {
        IntStream.range(0, RecentAttempts.MAX_ENDPOINTS)
                .forEach(i -> IntStream.rangeClosed(0, i).forEach(_ -> attempts.ended("e" + i, false, MILLI)));
        attempts.ended("new", false, MILLI);
        assertThat(find("new")).as("there was no place").isEmpty();

        assertThat(attempts.busiest(Map.of(), 2))
                .extracting(EndpointActivity::endpoint)
                .containsExactly("e199", "e198");

        attempts.ended("new", false, MILLI);
        assertThat(of("new").attempts()).isEqualTo(1);
        assertThat(find("e0")).as("it had less to do").isEmpty();
    }

    @Test
    void aReportHasTheEndsOfTheLastMinute() {
        var report = new ActivityReport(attempts, total::get, now::get);
        total.addAndGet(7);
        pass(5);
        assertThat(report.now(20, 3, 7, Map.of("mail", 3)).ended()).isEqualTo(7);

        total.addAndGet(5);
        pass(50);
        var activity = report.now(20, 3, 7, Map.of("mail", 3));
        assertThat(activity.ended()).isEqualTo(12);
        assertThat(activity.slots()).isEqualTo(20);
        assertThat(activity.usedSlots()).isEqualTo(3);
        assertThat(activity.endpoints()).extracting(EndpointActivity::running).containsExactly(3);

        pass(30);
        assertThat(report.now(20, 0, 7, Map.of()).ended()).isZero();
    }
}
