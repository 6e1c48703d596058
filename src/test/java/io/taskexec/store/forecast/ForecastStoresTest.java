package io.taskexec.store.forecast;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.taskexec.model.Uuid7;
import io.taskexec.model.job.Pause;
import io.taskexec.store.forecast.DelayedStarts.InMinutes;
import io.taskexec.store.forecast.PastStarts.Past;
import io.taskexec.store.forecast.StartLimits.OfEndpoint;
import io.taskexec.store.forecast.StartLimits.OfQueue;
import io.taskexec.store.forecast.StartLimits.Rate;
import io.taskexec.store.job.PlannedSchedules;
import io.taskexec.store.job.PlannedSchedules.Planned;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads what forecasts are computed of. */
@StoreTest
class ForecastStoresTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static Instant now = Instant.EPOCH;

    @BeforeEach
    void clear() {
        rows.clearJobs();
        for (var table : new String[] {"schedules", "pauses", "flow_policies", "endpoint_versions"}) {
            db.execute("DELETE FROM " + table);
        }
        db.execute("DELETE FROM endpoints");
        rows.endpoint(ENDPOINT).insert();
        now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private static UUID schedule(Duration nextIn, String more, String values) {
        var id = Uuid7.next();
        db.execute(
                "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                        + " VALUES ($1, 'welcome', 1, 'CRON', 260, now())",
                id);
        db.execute(
                "INSERT INTO schedules (job_id, root_id, cron_expression, timezone, next_run_at%s)".formatted(more)
                        + " VALUES ($1, $1, '0 * * * *', 'UTC', $2%s)".formatted(values),
                id,
                now.plus(nextIn).atOffset(ZoneOffset.UTC));
        return id;
    }

    private static List<Planned> planned(int limit) {
        return await(new PlannedSchedules(db.database()).before(now.plus(Duration.ofHours(1)), limit));
    }

    @Test
    void schedulesWithATickBeforeTheEndAreReadTheNextOnesFirst() {
        var start = ", starts_at";
        var late = schedule(Duration.ofMinutes(59), start, ", now()");
        var early = schedule(
                Duration.ofMinutes(1),
                start + ", ends_at, ended_at, max_fires, fires, jitter_ms",
                ", now(), now() + interval '2 days', now() + interval '1 day', 10, 4, 5000");
        var _ = schedule(Duration.ofMinutes(61), start, ", now()");
        // One that cannot be read is left out: it has no start.
        var _ = schedule(Duration.ofMinutes(1), "", "");
        db.execute(
                "UPDATE schedules SET next_run_at = NULL WHERE job_id = $1", schedule(Duration.ZERO, start, ", now()"));
        db.execute("INSERT INTO pauses VALUES ($1, now() - interval '2 hours', now() - interval '1 hour')", early);
        db.execute("INSERT INTO pauses VALUES ($1, now() - interval '1 minute', now() + interval '1 hour')", early);
        db.execute("INSERT INTO pauses VALUES ($1, now() + interval '3 hours', NULL)", early);

        var found = planned(10);

        assertThat(found).extracting(Planned::jobId).containsExactly(early, late);
        var first = found.getFirst();
        assertThat(first.endpoint()).isEqualTo(ENDPOINT);
        assertThat(first.queueId()).isEqualTo(2);
        assertThat(first.firesLeft()).isEqualTo(6);
        assertThat(first.jitter()).isEqualTo(Duration.ofSeconds(5));
        assertThat(first.end()).isBetween(now.plus(Duration.ofHours(23)), now.plus(Duration.ofHours(25)));
        assertThat(first.pauses()).hasSize(2).last().extracting(Pause::until).isNull();
        assertThat(found.getLast().firesLeft()).isNull();
        assertThat(found.getLast().end()).isNull();
        assertThat(planned(1)).extracting(Planned::jobId).containsExactly(early);
    }

    private static DelayedStarts.Counted delayed(int most) {
        return await(new DelayedStarts(db.database()).between(now, now.plus(Duration.ofHours(1)), most, most));
    }

    @Test
    void whatWaitsForItsTimeIsCountedByMinuteAndQueue() {
        rows.live().dueIn(Duration.ofMinutes(10)).insert();
        rows.live().dueIn(Duration.ofMinutes(10).plusMillis(1)).failures(2).insert();
        rows.live().lane(131).dueIn(Duration.ofMinutes(20)).insert();
        rows.live().flow("tenant").dueIn(Duration.ofMinutes(30)).insert();
        // What is due, runs, is parked or waits beyond the end does not count.
        rows.live().dueSince(Duration.ofMinutes(1)).insert();
        rows.live().leased(UUID.randomUUID(), Duration.ofMinutes(10)).insert();
        rows.live().parked("tenant").insert();
        rows.live().dueIn(Duration.ofMinutes(90)).insert();
        db.execute("UPDATE exec_live SET visible_at = date_trunc('minute', visible_at) + interval '1 second'"
                + " WHERE visible_at > now() AND visible_at < 'infinity'");

        var counted = delayed(DelayedStarts.MOST);

        var minute = now.truncatedTo(ChronoUnit.MINUTES).getEpochSecond() / 60;
        assertThat(counted.isPart()).isFalse();
        assertThat(counted.minutes().stream().mapToDouble(InMinutes::starts).sum())
                .isEqualTo(4);
        assertThat(counted.minutes()).contains(new InMinutes(ENDPOINT, 0, minute + 10, minute + 10, 2));
        assertThat(counted.minutes()).extracting(InMinutes::queueId).containsOnly(0, 1);
        assertThat(counted.minutes()).extracting(InMinutes::endpoint).containsOnly(ENDPOINT);
    }

    @Test
    void ofManyInALaneTheNextOnesCount() {
        assertThat(delayed(10).minutes()).isEmpty();
        for (var i = 1; i <= 6; i++) {
            rows.live().dueIn(Duration.ofMinutes(i * 5L)).insert();
        }
        rows.live().lane(131).dueIn(Duration.ofMinutes(50)).insert();

        var counted = delayed(8);

        assertThat(counted.isPart()).isTrue();
        assertThat(counted.minutes().stream().mapToDouble(InMinutes::starts).sum())
                .isEqualTo(5);
        assertThat(delayed(20).isPart()).isFalse();
    }

    @Test
    void ofManyInALaneOneOfEachStepTellsTheEndpoint() {
        rows.endpoint("other").insert();
        for (var i = 0; i < 40; i++) {
            rows.live()
                    .endpoint(i % 2 == 0 ? ENDPOINT : "other")
                    .dueIn(Duration.ofMinutes(10 + i))
                    .insert();
        }
        rows.live().lane(131).dueIn(Duration.ofMinutes(5)).insert();
        var counting = new DelayedStarts(db.database());

        var counted = await(counting.between(now, now.plus(Duration.ofHours(1)), DelayedStarts.MOST, 20));

        assertThat(counted.isEstimate()).isTrue();
        assertThat(counted.isPart()).isFalse();
        assertThat(counted.minutes().stream().mapToDouble(InMinutes::starts).sum())
                .isEqualTo(41);
        assertThat(counted.minutes())
                .filteredOn(some -> some.queueId() == 0)
                .hasSize(10)
                .allSatisfy(some -> {
                    assertThat(some.starts()).isEqualTo(4);
                    assertThat(some.last() - some.first()).isEqualTo(3);
                });
        assertThat(counted.minutes())
                .filteredOn(some -> some.queueId() == 0)
                .extracting(InMinutes::endpoint)
                .contains(ENDPOINT, "other");
        assertThat(delayed(DelayedStarts.MOST).isEstimate()).isFalse();
    }

    @Test
    void delayedStartsAreCountedInTheIndexOfTheClaim() {
        assertThat(db.plan(DelayedStarts.COUNT, utc(now), utc(now.plusSeconds(60)), 100.0, 10.0))
                .contains("exec_live_pick", "jobs_pk")
                .doesNotContain("Seq Scan");
    }

    private static OffsetDateTime utc(Instant at) {
        return at.atOffset(ZoneOffset.UTC);
    }

    private static List<Past> past(int most) {
        return await(new PastStarts(db.database()).dayBefore(now, most));
    }

    private static UUID ended(Duration ago, int number) {
        return Uuid7.of(now.minus(ago).toEpochMilli(), number, number);
    }

    @Test
    void immediateJobsOfEachHourAreCounted() {
        for (var i = 0; i < 6; i++) {
            rows.finished().id(ended(Duration.ofMinutes(59 - i * 7), i)).insert();
        }
        var delayed = rows.finished().id(ended(Duration.ofMinutes(100), 7)).insert();
        db.execute("UPDATE jobs SET trigger_type = 'DELAYED' WHERE job_id = $1", delayed);
        rows.finished().id(ended(Duration.ofHours(25), 8)).insert();
        db.execute("UPDATE executions SET started_at = completed_at - interval '2 seconds'");

        var found = past(PastStarts.MOST);

        assertThat(found.stream()
                        .filter(one -> one.hour() == 23)
                        .mapToDouble(Past::perMinute)
                        .sum())
                .isCloseTo(0.1, offset(1e-9));
        assertThat(found.stream()
                        .filter(one -> one.hour() == 22)
                        .mapToDouble(Past::perMinute)
                        .sum())
                .isZero();
        assertThat(found.stream().mapToLong(Past::ended).sum()).isEqualTo(7);
        assertThat(found.stream().mapToLong(Past::totalMs).sum()).isEqualTo(14_000);
        assertThat(found).extracting(Past::endpoint).containsOnly(ENDPOINT);
    }

    @Test
    void ofManyTheRateIsThatOfAllThatAreCounted() {
        // One each second, for a minute.
        for (var i = 0; i < 60; i++) {
            rows.finished().id(ended(Duration.ofMinutes(15).minusSeconds(i), i)).insert();
        }

        assertThat(past(20))
                .singleElement()
                .satisfies(one -> assertThat(one.perMinute()).isCloseTo(60 / 15.0 / 4, offset(1e-9)));
    }

    /** The first twenty came within milliseconds, as at the full minute. */
    @Test
    void ofManyTheRateIsThatOfAllWhereTheirNumberIsKnown() {
        for (var i = 0; i < 60; i++) {
            rows.finished().id(ended(Duration.ofMinutes(15).minusMillis(i), i)).insert();
        }
        db.execute(
                "INSERT INTO activity_minutes (minute, process_id, created, ended, attempts, failures, latencies,"
                        + " waiting, running)"
                        + " SELECT $1 + n * interval '1 minute', gen_random_uuid(), 30, 0, 0, 0, '{}', 0, 0"
                        + " FROM generate_series(0, 9) AS n",
                utc(now.minus(Duration.ofMinutes(15))));

        assertThat(past(20))
                .singleElement()
                .satisfies(one -> assertThat(one.perMinute()).isCloseTo(300 / 15.0 / 4, offset(0.1)));
        db.execute("DELETE FROM activity_minutes");
    }

    @Test
    void theSampleIsReadFromThePrimaryKeys() {
        assertThat(db.plan(
                        PastStarts.SAMPLE,
                        new UUID[] {Uuid7.floor(now.minusSeconds(60))},
                        new UUID[] {Uuid7.floor(now)},
                        10L,
                        new OffsetDateTime[] {utc(now.minusSeconds(60)), utc(now)},
                        2_000L))
                .contains("executions_default_pk", "jobs_pk")
                .doesNotContain("Seq Scan");
    }

    @Test
    void limitsAreThoseOfEndpointsWithoutKeysAndOfQueues() {
        rows.endpoint("keyed").insert();
        rows.endpoint("gone").insert();
        rows.flowPolicy(ENDPOINT, "max_concurrency, adaptive_limit, adaptive_at", "5, 3, now()");
        rows.flowPolicy("keyed", "rate_spacing_us, rate_burst", "1000, 2");
        var limits = new StartLimits(db.database());
        assertThat(await(limits.endpoints()))
                .contains(
                        new OfEndpoint("keyed", false, null, null, new Rate(Duration.ofMillis(1), 2)),
                        new OfEndpoint(ENDPOINT, false, 5, 3, null));
        db.execute("UPDATE endpoint_versions SET flow = '{\"key\": \"{{input.a}}\"}' WHERE name = 'keyed'");
        db.execute("INSERT INTO disabled_endpoints VALUES ('gone', 'it is', now())");

        assertThat(await(limits.endpoints()))
                .containsExactlyInAnyOrder(
                        new OfEndpoint("gone", true, null, null, null), new OfEndpoint(ENDPOINT, false, 5, 3, null));

        var until = now.plusSeconds(60);
        db.execute(
                "INSERT INTO queues (queue_id, name, rate_limit, rate_per_ms, rate_burst, paused_at, paused_until)"
                        + " VALUES (7, 'mail', 7, 1000, 3, now(), $1)",
                utc(until));
        assertThat(await(limits.queues()))
                .contains(
                        new OfQueue(0, "default", false, null, null, null),
                        new OfQueue(7, "mail", true, until, null, new Rate(Duration.ofNanos(142_858_000), 3)));
    }
}
