package io.taskexec.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.forecast.Forecast.Minutes;
import io.taskexec.forecast.StartForecast.Known;
import io.taskexec.forecast.StartLimit.Kind;
import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.Timetable;
import io.taskexec.store.forecast.DelayedStarts.Counted;
import io.taskexec.store.forecast.DelayedStarts.InMinutes;
import io.taskexec.store.forecast.PastStarts.Past;
import io.taskexec.store.forecast.StartLimits.OfEndpoint;
import io.taskexec.store.forecast.StartLimits.OfQueue;
import io.taskexec.store.forecast.StartLimits.Rate;
import io.taskexec.store.job.PlannedSchedules.Planned;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Computes forecasts of what was read. */
class StartForecastTest {
    private static final Instant NOW = Instant.parse("2026-06-01T10:00:30Z");
    private static final Instant START = Instant.parse("2026-06-01T10:00:00Z");
    private static final long MINUTE = START.getEpochSecond() / 60;
    private static final Counted NOTHING = new Counted(List.of(), false, false);
    private static final Random IDS = new Random(1);

    private static Planned cron(String endpoint, int queueId, String expression) {
        var id = new UUID(IDS.nextLong(), IDS.nextLong());
        var timetable = new Timetable.Cron(expression, "UTC", DstPolicy.DEFAULT);
        return new Planned(id, id, endpoint, queueId, timetable, Instant.EPOCH, null, null, Duration.ZERO, List.of());
    }

    private static List<Planned> crons(int count, String endpoint, String expression) {
        return IntStream.range(0, count)
                .mapToObj(_ -> cron(endpoint, 0, expression))
                .toList();
    }

    private static Known known(
            List<Planned> schedules, Counted delayed, List<Past> past, List<OfEndpoint> endpoints, OfQueue... queues) {
        return new Known(NOW, schedules, false, delayed, past, endpoints, List.of(queues));
    }

    private static Forecast of(Known known) {
        return new StartForecast(known, 24, 20).of(null);
    }

    private static OfQueue queue(int id, boolean isPaused, @Nullable Instant until, @Nullable Rate rate) {
        return new OfQueue(id, "queue-" + id, isPaused, until, null, rate);
    }

    @Test
    void minutesAreListedOnceForEachChange() {
        var delayed = new Counted(
                List.of(
                        new InMinutes("mail", 0, MINUTE + 3, MINUTE + 3, 7),
                        new InMinutes("mail", 0, MINUTE + 5, MINUTE + 8, 2)),
                true,
                false);
        var past = List.of(new Past("mail", 0, 1, 0.125, 2, 3_000), new Past("mail", 0, 1, 0.25, 0, 0));

        var forecast = of(known(crons(2, "mail", "30 12 * * *"), delayed, past, List.of()));

        assertThat(forecast.from()).isEqualTo(START);
        assertThat(forecast.to()).isEqualTo("2026-06-02T10:00:00Z");
        assertThat(forecast.schedules()).isEqualTo(2);
        assertThat(forecast.expressions()).isEqualTo(1);
        assertThat(forecast.more()).containsExactly("delayed");
        var mail = forecast.endpoints().items().getFirst();
        assertThat(mail.minutes())
                .containsExactly(
                        new Minutes(START.plusSeconds(180), 1, 0, 7, 0),
                        new Minutes(START.plusSeconds(300), 4, 0, 0.5, 0),
                        new Minutes(START.plusSeconds(3600), 60, 0, 0, 0.38),
                        new Minutes(START.plusSeconds(9000), 1, 2, 0, 0));
        assertThat(mail.minutesUntil()).isNull();
        assertThat(mail.scheduled()).isEqualTo(2);
        assertThat(mail.delayed()).isEqualTo(9);
        assertThat(mail.historical()).isEqualTo(22.5);
        assertThat(mail.meanMs()).isEqualTo(1_500);
        assertThat(mail.peak()).isEqualTo(new Forecast.Peak(START.plusSeconds(180), 7));
    }

    @Test
    void theBusiestEndpointsAreShownAndOneAlone() {
        var schedules = new ArrayList<>(crons(1, "busy", "* * * * *"));
        schedules.addAll(crons(1, "rare", "0 12 * * *"));
        var known = known(schedules, NOTHING, List.of(), List.of());

        var one = new StartForecast(known, 24, 1).of(null);
        assertThat(one.endpoints().total()).isEqualTo(2);
        assertThat(one.endpoints().items()).extracting(Forecast.Endpoint::name).containsExactly("busy");
        var rare = new StartForecast(known, 24, 1).of("rare");
        assertThat(rare.endpoints().items()).extracting(Forecast.Endpoint::name).containsExactly("rare");
        assertThat(new StartForecast(known, 24, 1).of("none").endpoints().total())
                .isZero();
    }

    @Test
    void minutesOverTheLimitsOfEndpointsAndQueuesAreListedTheWorstFirst() {
        var schedules = new ArrayList<>(crons(4, "mail", "0 12 * * *"));
        schedules.addAll(IntStream.range(0, 9)
                .mapToObj(_ -> cron("web", 3, "0 13 * * *"))
                .toList());
        var limits = List.of(
                new OfEndpoint("mail", false, 1, 2, new Rate(Duration.ofMinutes(1), 2)),
                new OfEndpoint("idle", false, null, null, new Rate(Duration.ofMinutes(1), 2)));
        var past = List.of(new Past("mail", 0, 0, 0, 1, 60_000));

        var over = of(known(
                        schedules, NOTHING, past, limits, queue(3, false, null, new Rate(Duration.ofMinutes(1), 1))))
                .overCapacity();

        assertThat(over.total()).isEqualTo(3);
        assertThat(over.items())
                .containsExactly(
                        new Forecast.Over(null, "queue-3", START.plusSeconds(10_800), 9, 2, Kind.RATE),
                        new Forecast.Over("mail", null, START.plusSeconds(7_200), 4, 2, Kind.MAX_CONCURRENCY),
                        new Forecast.Over("mail", null, START.plusSeconds(7_200), 4, 3, Kind.RATE));
    }

    @Test
    void aPausedQueueStartsAtItsEndAndADisabledEndpointNothing() {
        var schedules = new ArrayList<Planned>();
        schedules.add(cron("mail", 1, "*/10 * * * *"));
        schedules.add(cron("mail", 2, "0 * * * *"));
        schedules.add(cron("gone", 0, "0 * * * *"));
        var gone = new OfEndpoint("gone", true, null, null, null);
        var forecast = of(known(
                schedules,
                NOTHING,
                List.of(),
                List.of(gone),
                queue(1, true, START.plusSeconds(86_340), null),
                queue(2, true, null, null)));

        var mail = forecast.endpoints().items().getFirst();
        assertThat(mail.minutes()).containsExactly(new Minutes(START.plusSeconds(86_340), 1, 143, 0, 0));
        assertThat(mail.held()).isEqualTo(23);
        assertThat(forecast.endpoints().items().getLast().held()).isEqualTo(23);
        assertThat(forecast.endpoints().items().getLast().peak()).isNull();
    }

    @Test
    void schedulesThatStartTogetherAreSpread() {
        var proposals = of(known(crons(60, "mail", "0 * * * *"), NOTHING, List.of(), List.of()))
                .proposals();

        assertThat(proposals.more()).isFalse();
        assertThat(proposals.items()).hasSize(60).allSatisfy(proposal -> {
            assertThat(proposal.proposedCron()).isEqualTo("H * * * *");
            assertThat(proposal.at()).isEqualTo(START.plusSeconds(3_600));
            assertThat(proposal.peakBefore()).isEqualTo(60);
            assertThat(proposal.peakAfter()).isBetween(2.0, 12.0);
            assertThat(proposal.queue()).isNull();
        });
    }

    @Test
    void theExpectedPeakIsThatOfTheChangedSchedules() {
        var schedules = crons(60, "mail", "0 * * * *");
        var proposals = of(known(schedules, NOTHING, List.of(), List.of())).proposals();
        var changed = schedules.stream()
                .map(one -> one.with(new Timetable.Cron("H * * * *", "UTC", DstPolicy.DEFAULT)))
                .toList();

        var after = of(known(changed, NOTHING, List.of(), List.of()));

        assertThat(after.endpoints().items().getFirst().peak())
                .isNotNull()
                .extracting(Forecast.Peak::expected)
                .isEqualTo(proposals.items().getFirst().peakAfter());
        assertThat(after.proposals().items()).isEmpty();
    }

    @Test
    void fewSchedulesAreSpreadOnlyOverALimit() {
        var schedules = crons(5, "mail", "0 * * * *");
        var limit = new OfEndpoint("mail", false, null, null, new Rate(Duration.ofMinutes(1), 1));

        assertThat(of(known(schedules, NOTHING, List.of(), List.of()))
                        .proposals()
                        .items())
                .isEmpty();
        assertThat(of(known(schedules, NOTHING, List.of(), List.of(limit)))
                        .proposals()
                        .items())
                .hasSize(5);
    }

    @Test
    void schedulesOfALimitedQueueAreSpreadOverItsEndpoints() {
        var schedules = IntStream.range(0, 6)
                .mapToObj(i -> cron("mail-" + i, 3, "0 * * * *"))
                .toList();

        assertThat(of(known(
                                schedules,
                                NOTHING,
                                List.of(),
                                List.of(),
                                queue(3, false, null, new Rate(Duration.ofMinutes(1), 1))))
                        .proposals()
                        .items())
                .hasSize(6)
                .allSatisfy(proposal -> assertThat(proposal.queue()).isEqualTo("queue-3"));
    }

    @Test
    void whatCannotBeSpreadHasNoProposal() {
        var schedules = new ArrayList<>(crons(50, "mail", "* * * * *"));
        schedules.addAll(crons(50, "hashed", "H * * * *"));
        schedules.addAll(crons(12, "odd", "0,7 * * * *"));

        assertThat(of(known(schedules, NOTHING, List.of(), List.of()))
                        .proposals()
                        .items())
                .isEmpty();
    }

    @Test
    void anAnswerHasSoManyProposalsAndSaysThatThereAreMore() {
        var proposals = of(known(crons(Spread.MOST + 1, "mail", "0 12 * * *"), NOTHING, List.of(), List.of()))
                .proposals();

        assertThat(proposals.items()).hasSize(Spread.MOST);
        assertThat(proposals.more()).isTrue();
        assertThat(proposals.items().getFirst().peakAfter()).isLessThan(100);
    }

    @Test
    void minutesOverTheLimitOfTheAnswerAreLeftOut() {
        var schedules = new ArrayList<Planned>();
        for (var i = 0; i < 100; i++) {
            schedules.add(cron("endpoint-" + i, 0, "*/2 * * * *"));
        }
        var forecast = new StartForecast(known(schedules, NOTHING, List.of(), List.of()), 24, 100).of(null);

        var first = forecast.endpoints().items().getFirst();
        assertThat(first.minutes()).hasSize(StartForecast.MOST_MINUTES / 100);
        assertThat(first.minutesUntil())
                .isEqualTo(first.minutes().getLast().at().plusSeconds(120));
        assertThat(first.scheduled()).isEqualTo(719);
    }
}
