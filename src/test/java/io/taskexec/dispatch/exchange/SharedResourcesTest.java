package io.taskexec.dispatch.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.testing.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedResourcesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final int LIMIT = 3;
    private static final int MANY = 10;

    private static final Vertx vertx = Vertx.vertx();

    private final AtomicLong nanoTime = new AtomicLong();
    private final Doors doors = new Doors();
    private final SharedResources<String, Door> shared =
            new SharedResources<>(vertx, doors, LIMIT, IDLE, nanoTime::get);

    @AfterEach
    void close() {
        shared.close();
    }

    @AfterAll
    static void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** A resource that is opened when the test says so. */
    private static final class Door {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        volatile boolean usable = true;
    }

    private static final class Doors implements SharedResources.Source<String, Door> {
        final AtomicInteger opened = new AtomicInteger();
        final Map<String, CompletableFuture<Door>> opening = new ConcurrentHashMap<>();
        final Map<String, Runnable> broken = new ConcurrentHashMap<>();
        volatile boolean atOnce = true;
        volatile CompletableFuture<Void> closing = CompletableFuture.completedFuture(null);

        @Override
        public CompletionStage<Door> open(String key, Runnable whenBroken) {
            opened.incrementAndGet();
            broken.put(key, whenBroken);
            var door = atOnce ? CompletableFuture.completedFuture(new Door()) : new CompletableFuture<Door>();
            opening.put(key, door);
            return door;
        }

        CompletableFuture<Door> opening(String key) {
            return Objects.requireNonNull(opening.get(key));
        }

        @Override
        public CompletionStage<Void> close(Door door) {
            door.closed.complete(null);
            return closing;
        }

        @Override
        public boolean isUsable(Door door) {
            return door.usable;
        }
    }

    private SharedResource<String, Door> acquire(String key) {
        return Objects.requireNonNull(shared.acquire(key));
    }

    private static Door door(SharedResource<String, Door> resource) {
        return Objects.requireNonNull(resource.ready());
    }

    private static boolean isClosed(SharedResource<String, Door> resource) {
        return door(resource).closed.isDone();
    }

    @Test
    void nothingIsOpenAtFirst() {
        assertThat(shared.open()).isZero();
    }

    @Test
    void tenUsersAtOnceShareOneThatIsOpenedOnce() throws Exception {
        doors.atOnce = false;
        var users = tenAtOnce();

        assertThat(new HashSet<>(users)).hasSize(1);
        assertThat(doors.opened).hasValue(1);
        assertThat(users).allMatch(user -> user.ready() == null);

        var door = new Door();
        doors.opening("a").complete(door);
        assertThat(users).allMatch(user -> user.opening().join().equals(door));

        users.forEach(shared::release);
        assertThat(acquire("a").ready()).isSameAs(door);
        assertThat(shared.open()).isEqualTo(1);
    }

    @Test
    void aUserWhoCancelsTheWaitSpoilsItForNoOther() {
        doors.atOnce = false;
        var first = acquire("a").opening();
        var second = acquire("a").opening();

        first.cancel(true);
        doors.opening("a").complete(new Door());

        assertThat(second.state()).isEqualTo(Future.State.SUCCESS);
    }

    @Test
    void allUsersLearnOfAFailureAndTheNextUserTriesAgain() throws Exception {
        doors.atOnce = false;
        var users = tenAtOnce();

        doors.opening("a").completeExceptionally(new IllegalStateException("jammed"));

        for (var user : users) {
            assertThatThrownBy(() -> user.opening().join())
                    .isInstanceOf(CompletionException.class)
                    .hasRootCauseMessage("jammed");
        }
        assertThat(acquire("a")).isNotIn(users);
        assertThat(doors.opened).hasValue(2);
        users.forEach(shared::release);
        assertThat(shared.open()).isEqualTo(1);
    }

    private List<SharedResource<String, Door>> tenAtOnce() throws Exception {
        var together = new CyclicBarrier(MANY);
        try (var threads = Executors.newFixedThreadPool(MANY)) {
            var users = new ArrayList<Future<SharedResource<String, Door>>>();
            for (var i = 0; i < MANY; i++) {
                users.add(threads.submit(() -> {
                    var _ = together.await();
                    return acquire("a");
                }));
            }
            var acquired = new ArrayList<SharedResource<String, Door>>();
            for (var user : users) {
                acquired.add(user.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            }
            return acquired;
        }
    }

    @Test
    void theLeastRecentlyUsedOneMakesRoom() {
        var first = acquire("a");
        var second = acquire("b");
        var third = acquire("c");
        List.of(first, second, third).forEach(shared::release);
        shared.release(acquire("a"));

        var _ = acquire("d");

        assertThat(shared.open()).isEqualTo(LIMIT);
        assertThat(isClosed(second)).isTrue();
        assertThat(isClosed(first) || isClosed(third)).isFalse();
    }

    @Test
    void oneInUseNeverMakesRoom() throws InterruptedException {
        var first = acquire("a");
        var _ = acquire("b");
        var _ = acquire("c");

        assertThat(shared.acquire("d")).isNull();
        assertThat(shared.acquire("d", Duration.ofMillis(1))).isNull();
        assertThat(acquire("a")).isSameAs(first);
        assertThat(isClosed(first)).isFalse();
    }

    @Test
    void tenThatWaitForRoomGetItOneAfterTheOther() throws Exception {
        var used = List.of(acquire("a"), acquire("b"), acquire("c"));
        try (var threads = Executors.newFixedThreadPool(MANY)) {
            var waiting = new ArrayList<Future<String>>();
            for (var i = 0; i < MANY; i++) {
                var key = "waiting " + i;
                waiting.add(threads.submit(() -> {
                    shared.release(Objects.requireNonNull(shared.acquire(key, PATIENCE)));
                    return key;
                }));
            }
            shared.release(used.getFirst());
            for (var each : waiting) {
                assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).startsWith("waiting");
            }
        }
        assertThat(shared.open()).isEqualTo(LIMIT);
        assertThat(isClosed(used.get(0))).isTrue();
        assertThat(isClosed(used.get(1)) || isClosed(used.get(2))).isFalse();
    }

    @Test
    void aPlaceIsFreeOnlyWhenItsResourceIsClosed() {
        doors.closing = new CompletableFuture<>();
        List.of(acquire("a"), acquire("b"), acquire("c")).forEach(shared::release);

        assertThat(shared.acquire("d")).isNull();
        assertThat(shared.open()).isEqualTo(LIMIT);

        doors.closing.complete(null);
        assertThat(shared.acquire("d")).isNotNull();
    }

    @Test
    void asManyMakeRoomAsThereAreUsersWaitingAndNotOneForEachLook() {
        doors.closing = new CompletableFuture<>();
        var unused = List.of(acquire("a"), acquire("b"), acquire("c"));
        unused.forEach(shared::release);

        assertThat(shared.acquire("d")).isNull();
        assertThat(shared.acquire("d")).isNull();
        doors.closing.complete(null);
        assertThat(shared.acquire("d")).isNotNull();

        assertThat(unused).map(SharedResourcesTest::isClosed).containsExactly(true, false, false);
    }

    @Test
    void oneThatIsNotUsedForTenMinutesIsClosed() {
        var unused = acquire("a");
        var used = acquire("b");
        shared.release(unused);
        nanoTime.addAndGet(IDLE.toNanos() - 1);
        shared.closeIdle();
        assertThat(isClosed(unused)).isFalse();

        nanoTime.addAndGet(1);
        shared.closeIdle();

        assertThat(isClosed(unused)).isTrue();
        assertThat(isClosed(used)).isFalse();
        assertThat(shared.open()).isEqualTo(1);
    }

    @Test
    void oneThatIsRetiredIsReplacedAndClosedWhenItsLastUserHasReleasedIt() {
        var first = acquire("a");
        var _ = acquire("a");
        shared.retire(first);
        assertThat(acquire("a")).isNotSameAs(first);
        assertThat(shared.open()).isEqualTo(2);

        shared.release(first);
        assertThat(isClosed(first)).isFalse();
        shared.release(first);

        assertThat(isClosed(first)).isTrue();
        assertThat(shared.open()).isEqualTo(1);
    }

    @Test
    void oneThatBreaksIsReplacedWhetherItSaysSoOrNot() {
        var told = acquire("a");
        Objects.requireNonNull(doors.broken.get("a")).run();
        assertThat(acquire("a")).isNotSameAs(told);
        shared.release(told);

        var silent = acquire("b");
        door(silent).usable = false;
        assertThat(acquire("b")).isNotSameAs(silent);
        shared.release(silent);
        assertThat(isClosed(silent)).isTrue();
    }

    @Test
    void oneThatIsGivenUpWhileItOpensIsClosedWhenItIsOpen() {
        doors.atOnce = false;
        var late = acquire("a");
        shared.retire(late);
        shared.release(late);
        assertThat(shared.open()).isEqualTo(1);

        doors.opening("a").complete(new Door());

        assertThat(isClosed(late)).isTrue();
        assertThat(shared.open()).isZero();
    }

    @Test
    void closingClosesThoseInUseAsSoonAsTheyAreReleasedAndOpensNoOther() throws Exception {
        var unused = acquire("a");
        shared.release(unused);
        var used = acquire("b");
        var _ = acquire("c");
        var _ = acquire("d");
        try (var threads = Executors.newFixedThreadPool(1)) {
            var waiting = threads.submit(() -> shared.acquire("e", PATIENCE) == null);

            shared.close();

            assertThat(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(isClosed(unused)).isTrue();
        assertThat(isClosed(used)).isFalse();
        assertThat(shared.acquire("b")).isNull();

        shared.release(used);
        Eventually.await("it is closed", PATIENCE, () -> isClosed(used));
        assertThat(shared.open()).isEqualTo(2);
    }
}
