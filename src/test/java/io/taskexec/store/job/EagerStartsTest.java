package io.taskexec.store.job;

import static io.taskexec.store.job.NewJobs.at;
import static io.taskexec.store.job.NewJobs.job;
import static io.taskexec.store.job.NewJobs.on;
import static io.taskexec.store.job.NewJobs.plain;
import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class EagerStartsTest {
    private static final String CONFIGURED = "configured";
    private static final int PAUSED = 5;
    private static final UUID WORKER = UUID.randomUUID();
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Integer[] LANES = IntStream.range(0, 8).boxed().toArray(Integer[]::new);

    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private final DueSignal dueSignal = new DueSignal();
    private final Room room = new Room();
    private JobCreator creator;

    /** Has so many places, and keeps what they are filled with. */
    private static final class Room implements EagerStarts.Starter {
        private final AtomicInteger places = new AtomicInteger(1_000);
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger emptied = new AtomicInteger();
        private final Queue<Claim> claims = new ConcurrentLinkedQueue<>();

        @Override
        public EagerStarts.@Nullable Place place(NewJob job, int lane) {
            asked.incrementAndGet();
            return places.getAndDecrement() > 0 ? new Slot() : null;
        }

        private final class Slot implements EagerStarts.Place {
            @Override
            public UUID workerId() {
                return WORKER;
            }

            @Override
            public Duration lease() {
                return LEASE;
            }

            @Override
            public void fill(Claim claim, long askedAt) {
                claims.add(claim);
            }

            @Override
            public void leaveEmpty(@Nullable Long doubted) {
                emptied.incrementAndGet();
            }
        }
    }

    @BeforeAll
    static void makeEndpoints() {
        rows.config("mail", "{'from': 'a@b.test'}");
        rows.endpoint(ENDPOINT).version(NewJobs.VERSION).insert();
        rows.endpoint(CONFIGURED).config("mail").insert();
        db.execute("INSERT INTO queues (queue_id, name, paused_at) VALUES (%d, 'paused', now())".formatted(PAUSED));
    }

    @BeforeEach
    void open() {
        var starts = new EagerStarts();
        starts.startWith(Work.PUSHED, room);
        creator = Stores.creator(
                db.database(),
                new IdempotencyKeyStore(db.database(), () -> 24),
                dueSignal,
                db.region("default"),
                starts);
    }

    private List<Result> createAtOnce(List<NewJob> jobs) {
        return await(Uni.join().all(jobs.stream().map(creator::create).toList()).andFailFast());
    }

    private static List<Claim> claimed() {
        return await(Stores.leases(db.database()).claim(LANES, 500, LEASE, WORKER));
    }

    private static List<String> live(UUID execution) {
        return db
                .rows(
                        "SELECT concat_ws(' ', lane, lease_token IS NOT NULL, worker_id, attempt, failures, rescues,"
                                + " config_version, started_at = created_at,"
                                + " visible_at = started_at + interval '1 minute')"
                                + " FROM exec_live WHERE execution_id = $1",
                        execution)
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void anExecutionThatIsStartedIsAsOneThatHasBeenClaimed() {
        for (var endpoint : List.of(ENDPOINT, CONFIGURED)) {
            var version = endpoint.equals(ENDPOINT) ? NewJobs.VERSION : 1;
            var started = on(endpoint, version, 0);
            var created = await(creator.create(started));
            room.places.set(0);
            var waiting = on(endpoint, version, 0);
            assertThat(await(creator.create(waiting))).isInstanceOf(Result.Created.class);
            var claimed = claimed();
            // A claim is later than the creation.
            db.execute(
                    "UPDATE exec_live SET visible_at = visible_at - (started_at - created_at),"
                            + " started_at = created_at WHERE execution_id = $1",
                    waiting.id());

            assertThat(live(started.id())).isEqualTo(live(waiting.id()));
            assertThat(claimed).extracting(Claim::executionId).containsExactly(waiting.id());
            assertThat(room.claims.peek())
                    .usingRecursiveComparison()
                    .ignoringFields("executionId", "jobId", "leaseToken", "runAt")
                    .isEqualTo(claimed.getFirst());
            assertThat(created)
                    .isInstanceOfSatisfying(
                            Result.Created.class,
                            one -> assertThat(one.runAt())
                                    .isEqualTo(room.claims.element().runAt()));
            room.claims.clear();
            room.places.set(1);
        }
    }

    @Test
    void theClaimHasTheInputOfTheJob() {
        var job = job("with input");
        var _ = await(creator.create(job));

        assertThat(room.claims).singleElement().satisfies(claim -> {
            assertThat(claim.executionId()).isEqualTo(job.id());
            assertThat(claim.input()).hasToString("{\"n\":12.50}");
        });
    }

    @Test
    void noOneIsToldOfWhatHasStarted() {
        var signals = new AtomicInteger();
        dueSignal.onSignal(Work.PUSHED, signals::incrementAndGet);
        room.places.set(1);

        var _ = await(creator.create(job("started")));
        assertThat(signals).hasValue(0);

        var _ = await(creator.create(job("waits")));
        assertThat(signals).hasValue(1);
    }

    @Test
    void noPlaceIsAskedForWhatIsNotForNow() {
        var _ = createAtOnce(List.of(at(null, Duration.ofMillis(1)), at(Instant.now(), Duration.ZERO)));

        assertThat(room.asked).hasValue(0);
        assertThat(room.claims).isEmpty();
    }

    @Test
    void aPlaceStaysEmptyWhereNothingIsCreated() {
        assertThat(await(creator.create(job("twice")))).isInstanceOf(Result.Created.class);
        room.claims.clear();

        assertThat(await(creator.create(job("twice")))).isInstanceOf(Result.Duplicate.class);
        assertThat(await(creator.create(on(ENDPOINT, 2, 0)))).isEqualTo(new Result.Stale());

        assertThat(room.emptied).hasValue(2);
        assertThat(room.claims).isEmpty();
    }

    @Test
    void aPlaceStaysEmptyWhenTheCreationFails() {
        var unstorable = plain("with a NUL: \0").made();

        assertThatThrownBy(() -> await(creator.create(unstorable))).isNotNull();

        assertThat(room.emptied).hasValue(room.asked.get());
        assertThat(room.asked).hasPositiveValue();
    }

    @Test
    void nothingStartsInAQueueThatIsPaused() {
        var waiting = plain("paused").queue(PAUSED).made();
        var _ = await(creator.create(waiting));

        assertThat(room.claims).isEmpty();
        assertThat(room.emptied).hasValue(1);
        assertThat(db.number(
                        "SELECT count(*) FROM exec_live WHERE execution_id = $1 AND lease_token IS NULL"
                                + " AND worker_id IS NULL AND attempt = 0 AND started_at IS NULL"
                                + " AND visible_at <= now()",
                        waiting.id()))
                .isEqualTo(1);
    }

    @Test
    void whatItsWorkerLosesCountsAsLost() {
        var job = job("lost");
        var _ = await(creator.create(job));
        db.execute("UPDATE exec_live SET visible_at = now() WHERE execution_id = $1", job.id());

        assertThat(claimed())
                .singleElement()
                .satisfies(claim ->
                        assertThat(List.of(claim.attempt(), claim.rescues())).isEqualTo(List.of(2, 1)));
        assertThat(db.number(
                        "SELECT count(*) FROM attempts WHERE execution_id = $1 AND status = 'LOST' AND worker_id = $2",
                        job.id(),
                        WORKER))
                .isEqualTo(1);
    }

    @Test
    void ofManyAtOnceEachIsStartedOrClaimed() {
        room.places.set(30);
        var jobs = IntStream.range(0, 100).mapToObj(n -> job("many " + n)).toList();

        assertThat(createAtOnce(jobs)).allMatch(Result.Created.class::isInstance);

        assertThat(room.claims).hasSize(30);
        assertThat(Stream.concat(room.claims.stream(), claimed().stream()).map(Claim::executionId))
                .containsExactlyInAnyOrderElementsOf(
                        jobs.stream().map(NewJob::id).toList());
    }
}
