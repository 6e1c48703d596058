package io.taskexec.store.execution;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.endpoint.OnWorkerLost;
import io.taskexec.store.endpoint.ConfigStore;
import io.taskexec.store.endpoint.Precondition;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Lanes;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@StoreTest
class LeaseStoreTest {
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Integer[] LANES = Lanes.of(List.of(0));
    private static final UUID WORKER = UUID.randomUUID();
    private static final UUID DEAD = UUID.randomUUID();

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    /** One that has claimed nothing yet looks at all that is due. */
    private final LeaseStore store = Stores.leases(db.database());

    @BeforeAll
    static void open() {
        rows.endpoint(ENDPOINT).insert();
    }

    private List<Claim> claim(int limit) {
        return await(store.claim(LANES, limit, LEASE, WORKER));
    }

    private Claim claimOne() {
        var claims = claim(10);
        assertThat(claims).hasSize(1);
        return claims.getFirst();
    }

    private static Row live(UUID id) {
        return db.row("""
                SELECT *, visible_at > now() AS leased, extract(epoch FROM visible_at - now())::float8 AS left_sec,
                       now() - started_at < interval '10 seconds' AS fresh
                FROM exec_live WHERE execution_id = $1
                """, id);
    }

    private static void expire(UUID id) {
        db.execute("UPDATE exec_live SET visible_at = now() - interval '1 ms' WHERE execution_id = $1", id);
    }

    @Test
    void aDueExecutionIsClaimedWithAllThatItsAttemptNeeds() {
        var id = rows.live().input("{'name': 'Ada', 'sum': 12.50}").insert();

        var claim = claimOne();

        assertThat(claim.executionId()).isEqualTo(id);
        assertThat(claim.jobId()).isEqualTo(id);
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(claim.failures()).isZero();
        assertThat(claim.rescues()).isZero();
        assertThat(claim.endpoint()).isEqualTo(ENDPOINT);
        assertThat(claim.endpointVersion()).isEqualTo(1);
        assertThat(claim.configVersion()).isNull();
        assertThat(claim.input()).hasToString("{\"name\":\"Ada\",\"sum\":12.50}");
        var row = live(id);
        assertThat(row.getLong("lease_token")).isEqualTo(claim.leaseToken());
        assertThat(row.getUUID("worker_id")).isEqualTo(WORKER);
        assertThat(row.getDouble("left_sec")).isBetween(50.0, 60.0);
        assertThat(row.getInteger("attempt")).isEqualTo(1);
        assertThat(row.getBoolean("fresh")).isTrue();
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void whatWasClaimedWithoutTheWorkersKnowingIsDueAgainOnceItsAnswerIsLate() {
        var lost = rows.live().insert();
        var running = rows.live().insert();
        assertThat(claim(10)).hasSize(2);
        assertThat(await(store.freeLost(WORKER, running::equals, _ -> false))).isZero();
        db.execute("UPDATE exec_live SET started_at = now() - interval '1 min'");

        assertThat(await(store.freeLost(DEAD, _ -> false, _ -> false))).isZero();
        assertThat(await(store.freeLost(WORKER, running::equals, _ -> false))).isEqualTo(1);

        assertThat(live(running).getBoolean("leased")).isTrue();
        var again = claimOne();
        assertThat(again.executionId()).isEqualTo(lost);
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.rescues()).isZero();
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void ofWhatMustNotBeDeliveredTwiceOnlyThatIsLostWhichWasCalled() {
        rows.endpoint("careful").onWorkerLost(OnWorkerLost.FAIL).insert();
        var called = rows.live().endpoint("careful").insert();
        var unsent = rows.live().endpoint("careful").insert();
        assertThat(claim(10)).hasSize(2);
        db.execute("UPDATE exec_live SET started_at = now() - interval '1 min'");

        assertThat(await(store.freeLost(WORKER, _ -> false, called::equals))).isEqualTo(2);

        assertThat(claim(10))
                .extracting(claim -> claim.executionId() + " " + claim.rescues())
                .containsExactlyInAnyOrder(called + " " + LeaseStore.NOT_RESCUED, unsent + " 0");
        assertThat(db.rows("SELECT execution_id FROM attempts WHERE status = 'LOST'"))
                .extracting(row -> row.getUUID(0))
                .containsExactly(called);
    }

    @Test
    void whatIsNotDueOrLeasedOrInAnotherLaneIsNotClaimed() {
        rows.live().dueIn(Duration.ofSeconds(30)).insert();
        rows.live().leased(DEAD, Duration.ofSeconds(30)).insert();
        rows.live().lane(128 + 4).insert();

        assertThat(claim(10)).isEmpty();
        assertThat(await(store.claim(new Integer[0], 10, LEASE, WORKER))).isEmpty();
    }

    @Test
    void theMostUrgentLanesComeFirstAndWithinALaneTheLongestDue() {
        var late = rows.live().lane(7).dueSince(Duration.ofHours(5)).insert();
        var usual = rows.live().lane(4).dueSince(Duration.ofSeconds(1)).insert();
        var usualButLonger = rows.live().lane(4).dueSince(Duration.ofSeconds(9)).insert();
        var urgent = rows.live().lane(0).dueSince(Duration.ofMillis(1)).insert();

        var order = new ArrayList<UUID>();
        for (var i = 0; i < 4; i++) {
            claim(1).forEach(claim -> order.add(claim.executionId()));
        }

        assertThat(order).containsExactly(urgent, usualButLonger, usual, late);
    }

    @Test
    void theLimitIsNeverExceededAndNoneIsClaimedTwiceByClaimersAtOnce() {
        db.execute("""
                INSERT INTO exec_live (execution_id, job_id, lane, visible_at, run_at, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), i % 8, now() - i * interval '1 ms', now(), now()
                FROM generate_series(1, 3000) AS i
                """);
        db.execute("ANALYZE exec_live");

        var claimed = new ArrayList<UUID>();
        for (var round = 0; round < 20; round++) {
            var answers = await(Uni.join()
                    .all(IntStream.range(0, 8)
                            .mapToObj(_ -> store.claim(LANES, 25, LEASE, UUID.randomUUID()))
                            .toList())
                    .andFailFast());
            for (var answer : answers) {
                assertThat(answer).hasSizeLessThanOrEqualTo(25);
                answer.forEach(claim -> claimed.add(claim.executionId()));
            }
        }

        assertThat(claimed).doesNotHaveDuplicates().hasSizeGreaterThan(1000);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE lease_token IS NOT NULL"))
                .isEqualTo(claimed.size());
        assertThat(db.number("SELECT max(attempt) FROM exec_live")).isEqualTo(1);
    }

    @Test
    void aRowThatAnotherTransactionHoldsIsPassedOver() {
        var held = rows.live().dueSince(Duration.ofSeconds(9)).insert();
        var free = rows.live().dueSince(Duration.ofSeconds(1)).insert();

        var claims = await(db.database()
                .withTransaction(transaction -> Database.on(
                                transaction,
                                "SELECT 1 FROM exec_live WHERE execution_id = $1 FOR UPDATE",
                                Tuple.of(held))
                        .chain(() -> store.claim(LANES, 10, LEASE, WORKER))));

        assertThat(claims).extracting(Claim::executionId).containsExactly(free);
    }

    @Test
    void aLeaseThatExpiredIsClaimedAgainAndTheAttemptBeforeIsRecordedAsLost() {
        var id = rows.live().leased(DEAD, Duration.ofMillis(-5)).insert();
        var startedAt = live(id).getOffsetDateTime("started_at");

        var claim = claimOne();

        assertThat(claim.executionId()).isEqualTo(id);
        assertThat(claim.attempt()).isEqualTo(2);
        assertThat(claim.rescues()).isEqualTo(1);
        assertThat(claim.failures()).isZero();
        var lost = db.row("SELECT * FROM attempts WHERE execution_id = $1", id);
        assertThat(lost.getInteger("attempt_number")).isEqualTo(1);
        assertThat(lost.getString("status")).isEqualTo("LOST");
        assertThat(lost.getUUID("worker_id")).isEqualTo(DEAD);
        assertThat(lost.getOffsetDateTime("started_at")).isEqualTo(startedAt);
    }

    @Test
    void aRetryIsNotARescue() {
        rows.live().failures(2).insert();

        var claim = claimOne();

        assertThat(claim.attempt()).isEqualTo(3);
        assertThat(claim.failures()).isEqualTo(2);
        assertThat(claim.rescues()).isZero();
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void whatMustNotBeDeliveredTwiceIsNotRescued() {
        rows.endpoint("once").onWorkerLost(OnWorkerLost.FAIL).insert();
        var id =
                rows.live().endpoint("once").leased(DEAD, Duration.ofMillis(-5)).insert();

        var claim = claimOne();

        assertThat(claim.rescues()).isEqualTo(LeaseStore.NOT_RESCUED).isGreaterThan(LeaseStore.MAX_RESCUES);
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(db.rows("SELECT attempt_number, status FROM attempts"))
                .extracting(row -> row.getInteger(0) + " " + row.getString(1))
                .containsExactly("1 LOST");
        expire(id);
        assertThat(claimOne().attempt()).isEqualTo(1);
        assertThat(await(store.handBack(List.of(claimOneAgain(id)), Duration.ZERO)))
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM exec_live WHERE attempt = 1 AND started_at IS NOT NULL"))
                .as("handed back as what has been delivered once")
                .isEqualTo(1);
        var last = claimOne();
        assertThat(last.attempt()).isEqualTo(1);
        assertThat(last.rescues()).isEqualTo(LeaseStore.NOT_RESCUED);
    }

    private Claim claimOneAgain(UUID id) {
        expire(id);
        return claimOne();
    }

    @Test
    void anAttemptThatWasNotBegunMayBeMadeWhereNothingIsDeliveredTwice() {
        rows.endpoint("unsent").onWorkerLost(OnWorkerLost.FAIL).insert();
        rows.live().endpoint("unsent").insert();
        assertThat(await(store.handBack(List.of(claimOne()), Duration.ZERO))).isEqualTo(1);

        var claim = claimOne();

        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(claim.rescues()).isZero();
    }

    @Test
    void afterTooManyRescuesNoNewAttemptBegins() {
        var id = rows.live().insert();
        for (var rescue = 0; rescue <= LeaseStore.MAX_RESCUES; rescue++) {
            var claim = claimOne();
            assertThat(claim.rescues()).isEqualTo(rescue);
            assertThat(claim.attempt()).isEqualTo(rescue + 1);
            expire(id);
        }

        var last = claimOne();

        assertThat(last.rescues()).isGreaterThan(LeaseStore.MAX_RESCUES);
        assertThat(last.attempt()).isEqualTo(4);
        assertThat(db.rows("SELECT attempt_number FROM attempts WHERE status = 'LOST' ORDER BY 1"))
                .extracting(row -> row.getInteger(0))
                .containsExactly(1, 2, 3, 4);
        expire(id);
        assertThat(claimOne().attempt()).isEqualTo(4);
        assertThat(db.number("SELECT count(*) FROM attempts")).isEqualTo(4);
    }

    @Test
    void aConfigVersionIsPinnedByTheFirstClaimAndKept() {
        rows.config("mail", "{'v': 1}", "{'v': 2}");
        rows.endpoint("configured").config("mail").insert();
        var id = rows.live().endpoint("configured").insert();

        assertThat(claimOne().configVersion()).isEqualTo(2);
        assertThat(await(new ConfigStore(db.database()).update("mail", Rows.json("{'v': 3}"), Precondition.NONE)))
                .isNotNull();
        expire(id);
        assertThat(claimOne().configVersion()).isEqualTo(2);

        rows.clearJobs();
        rows.live().endpoint("configured").insert();
        assertThat(claimOne().configVersion()).isEqualTo(3);
    }

    @Test
    void theSecretEpochOfAClaimChangesWithEverySecret() {
        var secrets = new SecretStore(db.database());
        var epochs = new ArrayList<Long>();
        List<Runnable> changes = List.of(
                () -> {},
                () -> assertThat(await(secrets.create("s", new byte[] {1}))).isNotNull(),
                () -> assertThat(await(secrets.update("s", new byte[] {2}, Precondition.NONE)))
                        .isNotNull(),
                () -> assertThat(await(secrets.delete("s", Precondition.NONE))).isTrue());
        for (var change : changes) {
            change.run();
            rows.clearJobs();
            rows.live().insert();
            epochs.add(claimOne().secretEpoch());
        }

        assertThat(epochs).doesNotHaveDuplicates().isSortedAccordingTo(Comparator.naturalOrder());
    }

    @Test
    void everyClaimHasATokenOfItsOwn() {
        var id = rows.live().insert();
        var first = claimOne();
        expire(id);

        assertThat(claimOne().leaseToken()).isNotEqualTo(first.leaseToken());
    }

    @Test
    void onlyAHeldLeaseIsExtended() {
        rows.live().insert();
        rows.live().insert();
        var both = claim(2);
        var kept = both.getFirst();
        expire(both.getLast().executionId());
        var successor = claimOne();

        var held = await(store.extend(both, Duration.ofMinutes(5)));

        assertThat(held).containsExactly(kept.executionId());
        assertThat(live(kept.executionId()).getDouble("left_sec")).isBetween(290.0, 300.0);
        assertThat(live(successor.executionId()).getDouble("left_sec")).isLessThan(61.0);
    }

    @Test
    void whatIsHandedBackIsAsIfItHadNotBeenClaimed() {
        rows.live().failures(1).insert();
        var claim = claimOne();
        assertThat(claim.attempt()).isEqualTo(2);

        assertThat(await(store.handBack(List.of(claim), Duration.ZERO))).isEqualTo(1);

        var row = live(claim.executionId());
        assertThat(row.getInteger("attempt")).isEqualTo(1);
        assertThat(row.getLong("lease_token")).isNull();
        assertThat(row.getUUID("worker_id")).isNull();
        assertThat(row.getBoolean("leased")).isFalse();
        var again = claimOne();
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.rescues()).isZero();
        assertThat(db.number("SELECT count(*) FROM attempts")).isZero();
    }

    @Test
    void whoLostTheLeaseCannotHandItBack() {
        var id = rows.live().insert();
        var lost = claimOne();
        expire(id);
        var successor = claimOne();

        assertThat(await(store.handBack(List.of(lost), Duration.ZERO))).isZero();
        assertThat(live(id).getLong("lease_token")).isEqualTo(successor.leaseToken());
    }

    @Test
    void theTimeUntilTheNextDueOneIsKnown() {
        assertThat(await(store.untilNextDue(LANES))).isNull();
        rows.live().lane(300).insert();
        assertThat(await(store.untilNextDue(LANES))).isNull();

        rows.live().lane(7).dueIn(Duration.ofSeconds(40)).insert();
        assertThat(await(store.untilNextDue(LANES))).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(40));
        rows.live().lane(3).leased(DEAD, Duration.ofSeconds(20)).insert();
        assertThat(await(store.untilNextDue(LANES))).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        rows.live().lane(5).dueSince(Duration.ofSeconds(3)).insert();
        assertThat(await(store.untilNextDue(LANES))).isLessThanOrEqualTo(Duration.ofSeconds(-3));
    }

    @Test
    void anExecutionWhoseJobIsGoneIsClaimedWithTheReasonWhyItCannotBeRun() {
        var id = rows.live().insert();
        db.execute("DELETE FROM jobs WHERE job_id = $1", id);

        var claim = claimOne();

        assertThat(claim.executionId()).isEqualTo(id);
        assertThat(claim.unreadable()).isEqualTo("Its job is gone.");
    }

    @Test
    void anInputThatCannotBeReadSaysSoAndDoesNotTakeTheRestOfItsClaimAlong() {
        var sound = rows.live().input("{'n': 1}").insert();
        var broken = rows.live().input("{'n': 2}").insert();
        var deep = rows.live().insert();
        db.execute("UPDATE jobs SET input = '{\"n\": 1, \"n\": 2}' WHERE job_id = $1", broken);
        db.execute(
                "UPDATE jobs SET input = $2::text::json WHERE job_id = $1", deep, "[".repeat(1001) + "]".repeat(1001));

        var claims = claim(10);

        assertThat(claims).extracting(Claim::executionId).containsExactlyInAnyOrder(sound, broken, deep);
        assertThat(of(claims, sound).unreadable()).isNull();
        assertThat(of(claims, sound).input()).hasToString("{\"n\":1}");
        assertThat(of(claims, broken).unreadable())
                .startsWith("The input of its job cannot be read: Duplicate field 'n'");
        assertThat(of(claims, deep).unreadable()).contains("cannot be read", "nesting depth");
    }

    private static Claim of(List<Claim> claims, UUID id) {
        return claims.stream()
                .filter(claim -> claim.executionId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void countersAtTheirEndDoNotKeepTheRestOfTheClaimFromBeingMade() {
        var sound = rows.live().insert();
        var broken = rows.live()
                .leased(DEAD, Duration.ofMillis(-1))
                .attempt(Short.MAX_VALUE)
                .rescues(Short.MAX_VALUE)
                .insert();
        var worn = rows.live().attempt(Short.MAX_VALUE).insert();

        assertThat(claim(10)).extracting(Claim::executionId).containsExactlyInAnyOrder(sound, broken, worn);
        assertThat(live(broken).getInteger("rescues")).isEqualTo(Short.MAX_VALUE);
        assertThat(live(worn).getInteger("attempt")).isEqualTo(Short.MAX_VALUE);
    }

    @Test
    void aTimeWithoutEndIsClaimedOrSleptForLikeAnyOther() {
        var never = rows.live().insert();
        db.execute("UPDATE exec_live SET visible_at = 'infinity', run_at = 'infinity'");
        assertThat(claim(10)).isEmpty();
        assertThat(await(store.untilNextDue(LANES))).isBetween(Duration.ofHours(23), Duration.ofDays(1));

        db.execute("UPDATE exec_live SET visible_at = '-infinity', run_at = '-infinity'");

        assertThat(claimOne().executionId()).isEqualTo(never);
    }
}
