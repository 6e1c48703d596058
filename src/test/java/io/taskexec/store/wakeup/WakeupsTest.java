package io.taskexec.store.wakeup;

import static io.taskexec.testing.TestDb.PATIENCE;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.wakeup.DueSignal.Work;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NeedsOwnServer;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

@NeedsOwnServer("Wake-ups are of PostgreSQL, and it ends connections.")
@StoreTest(clearJobs = false)
public class WakeupsTest {
    @Inject
    private static TestDb db;

    /** The objects of one process. */
    private static final class OneProcess {
        final DueSignal signal = new DueSignal();
        final ProcessBroadcast broadcast = new ProcessBroadcast();
        final Wakeups wakeups = new Wakeups(TestDb.vertx(), db::server, true, signal, broadcast);
        final AtomicInteger woken = new AtomicInteger();

        OneProcess listening() throws InterruptedException {
            assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(5));
            Eventually.await("it hears itself", PATIENCE, signal::hearsOthers);
            signal.onSignal(Work.PUSHED, woken::incrementAndGet);
            // One statement after the other: then what it has told others at its beginning has been sent.
            assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(5));
            return this;
        }

        void awaitWoken(int times) throws InterruptedException {
            Eventually.await("woken", PATIENCE, woken::get, count -> count >= times);
        }
    }

    @Test
    void aNoteThatCannotBeReadKeepsNoOtherFromBeingHeard() {
        var broadcast = new ProcessBroadcast();
        var read = new ArrayList<UUID>();
        broadcast.onNote("cancelled", text -> read.add(UUID.fromString(text)));
        var id = UUID.randomUUID();

        broadcast.heard("cancelled nonsense");
        broadcast.heard("cancelled");
        broadcast.heard("cancelled " + id);

        assertThat(read).containsExactly(id);
    }

    @Test
    void aSignalOfOneProcessIsHeardInOthersAndOnceInItsOwn() throws InterruptedException {
        var one = new OneProcess().listening();
        var other = new OneProcess().listening();
        one.awaitWoken(1);
        one.woken.set(0);

        one.signal.raise();
        other.awaitWoken(1);
        // What comes after it shows that nothing else came before.
        other.signal.raise();
        one.awaitWoken(2);

        assertThat(one.woken).hasValue(2);
        assertThat(other.woken).hasValue(2);
    }

    @Test
    void aSignalOfWorkForPullWorkersWakesNobodyElse() throws InterruptedException {
        var one = new OneProcess().listening();
        var other = new OneProcess().listening();
        one.awaitWoken(1);
        one.woken.set(0);
        var pulls = new AtomicInteger();
        one.signal.onSignal(Work.PULLED, pulls::incrementAndGet);
        other.signal.onSignal(Work.PULLED, pulls::incrementAndGet);

        one.signal.raiseFor(Set.of(Work.PULLED));
        Eventually.await("both are told", PATIENCE, () -> pulls.get() == 2);
        // What comes after it shows that nothing else came before.
        other.signal.raiseFor(Set.of(Work.PUSHED));
        one.awaitWoken(1);

        assertThat(pulls).hasValue(2);
        assertThat(one.woken).hasValue(1);
        assertThat(other.woken).hasValue(1);
    }

    @Test
    void whatMayBeLateIsSoForOthersTooButNotWhatOnlyNamesAllKindsOfWork() throws InterruptedException {
        var one = new OneProcess().listening();
        var other = new OneProcess().listening();
        var before = other.signal.lateCommits();
        other.woken.set(0);

        // While the first is being sent the others gather.
        one.signal.raise();
        one.signal.raise();
        one.signal.raiseTick();
        other.awaitWoken(2);
        assertThat(other.signal.lateCommits()).isEqualTo(before);

        one.signal.raiseFor(DueSignal.ANYTHING);
        Eventually.await("the other is told", PATIENCE, () -> other.signal.lateCommits() > before);
    }

    @Test
    void aNoteOfOneProcessIsReadInOthersAndNotInItsOwn() throws InterruptedException {
        var one = new OneProcess().listening();
        var other = new OneProcess().listening();
        var read = new ConcurrentLinkedQueue<String>();
        one.broadcast.onNote("weather", text -> read.add("one: " + text));
        other.broadcast.onNote("weather", text -> read.add("other: " + text));

        one.broadcast.tell("traffic", "not asked for");
        one.broadcast.tell("weather", "it's raining");
        Eventually.await("a note", PATIENCE, () -> !read.isEmpty());
        other.broadcast.tell("weather", "no more");
        Eventually.await("the next", PATIENCE, () -> read.size() > 1);

        assertThat(read).containsExactly("other: it's raining", "one: no more");
    }

    @Test
    void manySignalsAtOnceShareFewNotificationsAndTheLastIsNotLeftOut() throws InterruptedException {
        var one = new OneProcess().listening();
        var other = new OneProcess().listening();

        for (var i = 0; i < 1_000; i++) {
            one.signal.raise();
        }
        other.awaitWoken(2);
        other.signal.raise();
        one.awaitWoken(1_001);

        assertThat(other.woken).hasValueLessThan(100);
    }

    @Test
    void aConnectionThatWasLostIsMadeAgainAndSleepersLookForWhatTheyMissed() throws InterruptedException {
        var one = new OneProcess().listening();
        assertThat(db.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'NOTIFY %'"))
                .isNotEmpty();
        Eventually.await("it hears nobody", PATIENCE, () -> !one.signal.hearsOthers());

        assertThat(await(one.wakeups.keepListening())).isEqualTo(Duration.ofSeconds(5));
        one.awaitWoken(1);
        Eventually.await("it hears itself", PATIENCE, one.signal::hearsOthers);
    }

    /** As a primary that another server has replaced: all others listen there. */
    @Test
    void aConnectionToAServerThatOnlyReadsIsMadeAgain() {
        var mode = new AtomicReference<>("on");
        var wakeups = new Wakeups(
                TestDb.vertx(),
                () -> db.server().addProperty("default_transaction_read_only", mode.get()),
                true,
                new DueSignal(),
                new ProcessBroadcast());
        assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(5));
        mode.set("off");

        assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(1));

        assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(5));
        assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(5));
        await(wakeups.close());
    }

    @Test
    void whereItIsSwitchedOffNobodyListensAndNobodyIsToldButPollingGoesOnAsAlways() throws InterruptedException {
        var one = new OneProcess().listening();
        var silent = new DueSignal();
        var off = new Wakeups(TestDb.vertx(), () -> db.server().setPort(1), false, silent, new ProcessBroadcast());
        assertThat(await(off.keepListening())).isGreaterThan(Duration.ofDays(1));
        var woken = new AtomicInteger();
        silent.onSignal(Work.PUSHED, woken::incrementAndGet);

        silent.raise();
        one.signal.raise();
        one.awaitWoken(1);

        assertThat(woken).as("by what this process has created itself").hasValue(1);
        assertThat(one.woken).hasValue(1);
        assertThat(silent.hearsOthers()).isFalse();
    }

    @Test
    void withoutADatabaseItTriesAgainSoon() {
        var wakeups = new Wakeups(
                TestDb.vertx(), () -> db.server().setPort(1), true, new DueSignal(), new ProcessBroadcast());
        assertThat(await(wakeups.keepListening())).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aDatabaseThatIsKnownNotToHaveItIsNotAskedForIt() {
        db.execute("CREATE SCHEMA other");
        db.execute("CREATE FUNCTION other.version() RETURNS text LANGUAGE sql"
                + " AS $$ SELECT 'CockroachDB CCL v24.3.5 (x86_64-pc-linux-gnu)' $$");
        var cockroach = db.server()
                .addProperty("search_path", "other,pg_catalog")
                .addProperty("application_name", "looks_like_another");
        var signal = new DueSignal();
        var wakeups = new Wakeups(TestDb.vertx(), () -> cockroach, true, signal, new ProcessBroadcast());

        assertThat(await(wakeups.keepListening())).isGreaterThan(Duration.ofDays(300));

        assertThat(signal.hearsOthers()).isFalse();
        assertThat(db.number("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE application_name = 'looks_like_another' AND query LIKE 'LISTEN%'"))
                .isZero();
    }
}
