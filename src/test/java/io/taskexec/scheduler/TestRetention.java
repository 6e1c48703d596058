package io.taskexec.scheduler;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.taskexec.store.execution.RetentionStore;
import io.taskexec.store.history.HistoryDays;
import io.taskexec.store.history.OldDays;
import io.taskexec.testing.TestDb;

/** Makes retention on a database of a test. */
final class TestRetention {
    private TestRetention() {}

    static Retention of(TestDb db, int days) {
        return of(db, days, new SimpleMeterRegistry());
    }

    static Retention of(TestDb db, int days, MeterRegistry registry) {
        var database = db.database();
        var old = new OldDays(new HistoryDays(database));
        var metrics = new RetentionMetrics(registry);
        return new Retention(database, new RetentionStore(database), old, new TestConfig(days), metrics);
    }
}
