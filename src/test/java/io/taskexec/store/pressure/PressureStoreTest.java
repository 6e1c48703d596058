package io.taskexec.store.pressure;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.LimitReachedException;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest(clearJobs = false)
class PressureStoreTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Inject
    private static TestDb db;

    private static PressureStore store;

    @BeforeAll
    static void open() {
        store = new PressureStore(db.database());
    }

    @BeforeEach
    void clear() {
        db.execute("DELETE FROM pressure_signals");
        db.execute("DELETE FROM workers");
    }

    @Test
    void aSignalCountsWithTheTimeThatRemains() {
        assertThat(await(store.set("billing", 0.7, MINUTE))).as("it is new").isTrue();
        assertThat(await(store.set("billing", 0.8, MINUTE))).as("it is new").isFalse();

        assertThat(await(store.signals())).singleElement().satisfies(signal -> {
            assertThat(signal.source()).isEqualTo("billing");
            assertThat(signal.value()).isEqualTo(0.8);
            assertThat(signal.workerId()).isNull();
            assertThat(signal.age()).isLessThan(MINUTE);
            assertThat(Objects.requireNonNull(signal.remaining())).isBetween(Duration.ofSeconds(30), MINUTE);
        });
    }

    @Test
    void aSignalWhoseTimeIsOverCountsNoMoreAndIsNewWhenItIsToldAgain() {
        var _ = await(store.set("billing", 0.7, MINUTE));
        db.execute("UPDATE pressure_signals SET expires_at = now()");

        assertThat(await(store.signals())).isEmpty();
        assertThat(await(store.set("billing", 0.7, MINUTE))).isTrue();
        assertThat(await(store.signals())).hasSize(1);
    }

    @Test
    void aSignalIsCleared() {
        var _ = await(store.set("billing", 0.7, MINUTE));

        assertThat(await(store.clear("billing"))).isTrue();
        assertThat(await(store.clear("billing"))).isFalse();
        assertThat(await(store.signals())).isEmpty();

        var _ = await(store.set("billing", 0.7, MINUTE));
        db.execute("UPDATE pressure_signals SET expires_at = now()");
        assertThat(await(store.clear("billing"))).isFalse();
    }

    @Test
    void tenWhoAddAtOnceDoNotPassTheLimit() {
        var most = PressureStore.MAX_SIGNALS;
        for (var i = 0; i < most - 3; i++) {
            var _ = await(store.set("early-" + i, 0.1, MINUTE));
        }

        var adds = IntStream.range(0, 10)
                .mapToObj(i -> store.set("late-" + i, 0.1, MINUTE)
                        .onFailure(LimitReachedException.class)
                        .recoverWithItem(false))
                .toList();
        var added = await(Uni.join().all(adds).andFailFast());

        assertThat(added).filteredOn(isNew -> isNew).hasSize(3);
        assertThat(db.number("SELECT count(*) FROM pressure_signals")).isEqualTo(most);
        assertThatThrownBy(() -> await(store.set("one-more", 0.1, MINUTE))).isInstanceOf(LimitReachedException.class);
        assertThat(await(store.set("early-0", 0.2, MINUTE))).isFalse();

        db.execute("UPDATE pressure_signals SET expires_at = now() WHERE source = 'early-1'");
        assertThat(await(store.set("one-more", 0.1, MINUTE))).isTrue();
    }

    @Test
    void whatAWorkerTellsIsShownBesideTheSignals() {
        var worker = UUID.randomUUID();
        await(new WorkerStore(db.database(), new DueSignal())
                .beat(
                        worker,
                        "pod-a",
                        HomeRegion.DEFAULT,
                        new WorkerActivity(1, 0, 0, 7, List.of()),
                        Map.of("cpu", 0.25, "memory", 0.0)));
        var _ = await(store.set("billing", 0.5, MINUTE));

        assertThat(await(store.all()))
                .extracting(PressureReading::source, PressureReading::value, PressureReading::workerId)
                .containsExactly(tuple("billing", 0.5, null), tuple("cpu", 0.25, worker), tuple("memory", 0.0, worker));
    }
}
