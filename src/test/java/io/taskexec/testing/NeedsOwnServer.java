package io.taskexec.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIf;

/** Marks tests that cannot run on the server that {@code TE_TEST_DATABASE_URL} names. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("own-server")
@DisabledIf(
        value = "io.taskexec.testing.LiveServer#isUsed",
        disabledReason = "It stops its server, or is about what only the PostgreSQL of the tests does.")
public @interface NeedsOwnServer {
    /** Why. */
    String value();
}
