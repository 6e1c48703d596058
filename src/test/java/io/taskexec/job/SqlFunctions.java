package io.taskexec.job;

import io.taskexec.testing.TestDb;
import org.jspecify.annotations.Nullable;

/** Calls the functions for applications. */
final class SqlFunctions {
    private SqlFunctions() {}

    /** Says what a process would say about its region. */
    static void announceRegion(TestDb db, boolean events) {
        db.execute("""
                INSERT INTO region_status (region, number, events, idempotency_key_ttl_ms)
                VALUES ('default', 0, $1, 86400000)
                ON CONFLICT (region) DO UPDATE SET events = $1, idempotency_key_ttl_ms = 86400000
                """, events);
    }

    /** Creates a job by these arguments; returns its id. */
    static String create(TestDb db, String arguments) {
        return db.row("SELECT taskexec_api.create_job(%s)".formatted(arguments)).getString(0);
    }

    /** Cancels the job that has a key. */
    static boolean cancel(TestDb db, String endpoint, String key) {
        return db.row("SELECT taskexec_api.cancel_job($1, $2)", endpoint, key).getBoolean(0);
    }

    /** The status of the job that has a key; null when none has. */
    static @Nullable String status(TestDb db, String endpoint, String key) {
        var found = db.rows("SELECT status FROM taskexec_api.find_job($1, $2)", endpoint, key);
        return found.isEmpty() ? null : found.getFirst().getString("status");
    }
}
