package io.taskexec.store.sql;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;

/**
 * For how long a lock is waited for; then it fails with {@link LockedException}. Transactions of applications may keep
 * locks for as long as they like.
 */
public enum LockTimeout {
    /** What a batch of many callers waits. */
    OF_MANY(40),
    /** What parts of it wait, when that was too long for it. */
    OF_PART(2),
    /** What a single caller waits. */
    OF_ONE(200);

    /** A condition, always true, for what waits only for locks that taskexec itself takes, and not for long. */
    public static final String NONE = """
            set_config('lock_timeout', '0', true) IS NOT NULL""";

    private final int millis;
    private final String time;

    LockTimeout(int millis) {
        this.millis = millis;
        this.time = millis + "ms";
    }

    long nanos() {
        return Duration.ofMillis(millis).toNanos();
    }

    /**
     * A condition, always true, that sets it for the rest of the transaction, unless that has a timeout: from the first
     * row on that the condition is asked for.
     */
    public String condition() {
        return """
            set_config('lock_timeout', CASE current_setting('lock_timeout') WHEN '0' THEN '%s'
                  ELSE current_setting('lock_timeout') END, true) IS NOT NULL""".formatted(time);
    }

    /** A statement with its condition in place of that of {@link #OF_MANY}. */
    public String in(String statement) {
        return this == OF_MANY ? statement : statement.replace(OF_MANY.condition(), condition());
    }

    /** Sets it for a transaction whose statements would set {@link #OF_MANY}. */
    public Uni<Void> set(SqlConnection transaction) {
        return this == OF_MANY
                ? Uni.createFrom().voidItem()
                : Database.on(transaction, "SELECT set_config('lock_timeout', $1::text, true)", Tuple.of(time))
                        .replaceWithVoid();
    }
}
