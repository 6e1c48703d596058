package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.flow.RateLimit;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.model.queue.QueueDetails.Settings;
import io.taskexec.model.queue.QueueShare;
import io.taskexec.store.sql.InUseException;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@StoreTest
class QueueSettingsStoreTest {
    private static final Settings PLAIN = Settings.DEFAULT;

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private static QueueSettingsStore store;
    private static QueueStore queues;

    @BeforeAll
    static void open() {
        store = new QueueSettingsStore(db.database());
        queues = new QueueStore(db.database());
    }

    @BeforeEach
    void clear() {
        rows.clearJobs();
        for (var table : new String[] {"schedules", "endpoints", "endpoint_versions"}) {
            db.execute("DELETE FROM " + table);
        }
        db.execute("DELETE FROM queues WHERE queue_id > 0");
        db.execute("UPDATE queues SET paused_at = NULL, paused_until = NULL, version = 1, weight = 1");
    }

    @CanIgnoreReturnValue
    private static QueueDetails put(String name, Settings settings) {
        return await(store.put(name, settings, Precondition.NONE)).queue();
    }

    private static QueueDetails find(String name) {
        @Nullable QueueDetails found = await(store.find(name));
        return Objects.requireNonNull(found);
    }

    @CanIgnoreReturnValue
    private static @Nullable QueueDetails pause(String name, @Nullable Instant until) {
        return await(store.pause(name, until, "repairs"));
    }

    private static Settings settings(int weight, @Nullable Duration aging) {
        return new Settings(weight, aging, null, null, null);
    }

    private static int number(String name) {
        return (int) db.number("SELECT queue_id FROM queues WHERE name = $1", name);
    }

    @Test
    void aQueueThatIsPutIsCreatedAndThenChanged() {
        var created = await(store.put("mail", settings(5, Duration.ofMinutes(5)), Precondition.NONE));
        assertThat(created.isNew()).isTrue();
        assertThat(created.queue().version()).isEqualTo(1);

        var changed = await(store.put("mail", settings(100, null), Precondition.NONE));

        assertThat(changed.isNew()).isFalse();
        assertThat(changed.queue().settings()).isEqualTo(settings(100, null));
        assertThat(changed.queue().version()).isGreaterThan(created.queue().version());
        assertThat(find("mail")).isEqualTo(changed.queue());
    }

    @Test
    void aConditionIsCheckedAndNeedsAQueue() {
        put("mail", PLAIN);

        assertThatThrownBy(() -> await(store.put("mail", PLAIN, (_, _) -> false)))
                .isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> await(store.put("none", PLAIN, (_, _) -> true)))
                .isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> await(store.delete("mail", (_, _) -> false)))
                .isInstanceOf(PreconditionFailedException.class);
    }

    @Test
    void aQueueIsCreatedOnceAndThereIsALimit() {
        await(store.create("mail", PLAIN));
        assertThatThrownBy(() -> await(store.create("mail", PLAIN))).isInstanceOf(NameTakenException.class);

        IntStream.range(2, QueueStore.MAX_QUEUES).forEach(i -> put("q" + i, PLAIN));

        assertThatThrownBy(() -> put("more", PLAIN)).isInstanceOf(LimitReachedException.class);
        assertThat(await(store.delete("q2", Precondition.NONE))).isTrue();
        put("more", PLAIN);
    }

    @Test
    void tenCallersWhoPutOneNewQueueCreateItOnce() {
        var written = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(i -> store.put("mail", settings(i + 1, null), Precondition.NONE))
                        .toList())
                .andFailFast());

        assertThat(written).filteredOn(QueueSettingsStore.Written::isNew).hasSize(1);
        assertThat(written).extracting(one -> one.queue().version()).doesNotHaveDuplicates();
    }

    @Test
    void tokensThatWereSpentAtALowerRateComeBackAtTheHigherOne() {
        put("mail", new Settings(1, null, null, new RateLimit(10, Duration.ofDays(1), 10), null));
        db.execute("UPDATE queue_limits SET tat = now() + interval '1 day' WHERE queue_id = " + number("mail"));

        put("mail", new Settings(1, null, null, new RateLimit(10, Duration.ofMinutes(1), 10), null));

        assertThat(db.number("SELECT count(*) FROM queue_limits WHERE tat > now() + interval '61 seconds'"))
                .isZero();
    }

    @Test
    void aPausedQueueIsNotRunnableUntilItIsResumed() {
        put("mail", PLAIN);
        var id = number("mail");
        var before = await(queues.claimable());
        assertThat(before.queues()).extracting(QueueShare::queueId).containsExactly(0, id);
        assertThat(before.untilPauseEnds()).isNull();

        var paused = Objects.requireNonNull(pause("mail", null));
        var meanwhile = await(queues.claimable());

        assertThat(paused.pause()).isNotNull();
        assertThat(paused.version()).isGreaterThan(1);
        assertThat(meanwhile.queues()).extracting(QueueShare::queueId).containsExactly(0);
        assertThat(meanwhile.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(await(queues.epoch())).isEqualTo(meanwhile.epoch());
        assertThat(meanwhile.untilPauseEnds()).isEqualTo(Duration.ofDays(1));

        var resumed = Objects.requireNonNull(await(store.resume("mail")));
        assertThat(resumed.pause()).isNull();
        assertThat(resumed.version()).isEqualTo(paused.version() + 1);
        assertThat(await(queues.claimable()).queues())
                .extracting(QueueShare::queueId)
                .containsExactly(0, id);
    }

    @Test
    void aPauseEndsByItselfAndIsTheNextVersionThen() {
        put("mail", PLAIN);
        var paused = Objects.requireNonNull(pause("mail", Instant.now().plusSeconds(60)));
        assertThat(await(queues.claimable()).untilPauseEnds())
                .isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));

        db.execute("UPDATE queues SET paused_until = now() - interval '1 second' WHERE name = 'mail'");

        assertThat(await(queues.claimable()).queues())
                .extracting(QueueShare::queueId)
                .hasSize(2);
        var ended = find("mail");
        assertThat(ended.pause()).isNull();
        assertThat(ended.version()).isEqualTo(paused.version() + 1);
        assertThat(put("mail", PLAIN).version()).isEqualTo(ended.version() + 1);
        assertThat(find("mail").version()).isEqualTo(ended.version() + 1);
    }

    @Test
    void settingsAreChangedWithoutEndingAPause() {
        put("mail", PLAIN);
        pause("mail", null);

        assertThat(put("mail", settings(7, null)).pause()).isNotNull();
        assertThat(pause("none", null)).isNull();
        assertThat(await(store.resume("none"))).isNull();
    }

    @Test
    void whatIsClaimedTellsWhetherItsQueueIsPaused() {
        put("mail", PLAIN);
        rows.endpoint(ENDPOINT).insert();
        var inMail = rows.live().lane(Lanes.lane(number("mail"), 0, false, 4)).insert();
        var keyed = rows.live()
                .lane(Lanes.keyed(Lanes.lane(number("mail"), 0, false, 4)))
                .insert();
        var other = rows.live().insert();
        pause("mail", null);

        var places = await(Uni.join()
                .all(queues.placeOf(inMail), queues.placeOf(keyed), queues.placeOf(other))
                .andFailFast());

        assertThat(places).extracting(QueueStore.Place::isBlocked).containsExactly(true, true, false);
        assertThat(places).extracting(QueueStore.Place::epoch).containsOnly(await(queues.epoch()));
    }

    @Test
    void aQueueThatNothingUsesIsDeletedAndItsNumberStaysItsName() {
        put("mail", settings(9, Duration.ofHours(1)));
        pause("mail", null);
        var id = number("mail");

        assertThat(await(store.delete("mail", Precondition.NONE))).isTrue();

        assertThat(await(store.find("mail"))).isNull();
        assertThat(await(store.list(new PageQuery(10, null))).items())
                .extracting(QueueDetails::name)
                .containsExactly("default");
        assertThat(await(store.delete("mail", Precondition.NONE))).isFalse();
        assertThat(await(queues.claimable()).queues())
                .extracting(QueueShare::queueId)
                .containsExactly(0);
        put("other", PLAIN);
        assertThat(number("other")).isNotEqualTo(id);

        var again = put("mail", PLAIN);
        assertThat(number("mail")).isEqualTo(id);
        assertThat(again.settings()).isEqualTo(PLAIN);
        assertThat(again.pause()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1 << 30})
    void aQueueWithAnExecutionThatHasNotEndedIsKept(int below) {
        put("mail", PLAIN);
        rows.endpoint(ENDPOINT).insert();
        var lane = Lanes.lane(number("mail"), 7, true, 7) - below;
        rows.live().lane(lane).dueIn(Duration.ofDays(300)).insert();

        assertThatThrownBy(() -> await(store.delete("mail", Precondition.NONE))).isInstanceOf(InUseException.class);
        assertThatThrownBy(() -> await(store.delete("default", Precondition.NONE)))
                .isInstanceOf(InUseException.class);
        rows.clearJobs();
        assertThat(await(store.delete("mail", Precondition.NONE))).isTrue();
    }

    @Test
    void aQueueThatTheCurrentVersionOfAnEndpointNamesIsKept() {
        put("mail", PLAIN);
        rows.endpoint(ENDPOINT).version(2).insert();
        db.execute("UPDATE endpoint_versions SET queue_id = $1 WHERE version = 2", number("mail"));

        assertThatThrownBy(() -> await(store.delete("mail", Precondition.NONE))).isInstanceOf(InUseException.class);

        db.execute("UPDATE endpoint_versions SET queue_id = CASE version WHEN 1 THEN $1 ELSE 0 END", number("mail"));
        assertThat(await(store.delete("mail", Precondition.NONE))).isTrue();
    }

    @Test
    void aQueueIntoWhichAScheduleFiresIsKept() {
        put("mail", PLAIN);
        rows.endpoint(ENDPOINT).insert();
        db.execute(
                "INSERT INTO jobs (job_id, endpoint, endpoint_version, trigger_type, lane, created_at)"
                        + " VALUES (gen_random_uuid(), $1, 1, 'INTERVAL', $2, now())",
                ENDPOINT,
                Lanes.lane(number("mail"), 0, true, 4));
        db.execute("INSERT INTO schedules (job_id, root_id, every_ms, timezone, starts_at, next_run_at)"
                + " SELECT job_id, job_id, 60000, 'UTC', now(), now() + interval '1 day' FROM jobs");

        assertThatThrownBy(() -> await(store.delete("mail", Precondition.NONE))).isInstanceOf(InUseException.class);

        db.execute("UPDATE jobs SET retired_at = now()");
        db.execute("UPDATE schedules SET next_run_at = NULL");
        assertThat(await(store.delete("mail", Precondition.NONE))).isTrue();
    }
}
