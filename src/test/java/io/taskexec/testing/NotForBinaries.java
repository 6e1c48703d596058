package io.taskexec.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * An end-to-end test that says nothing of a program that was built elsewhere; {@code ./verify --binary} leaves it out.
 */
@Tag("not-for-binaries")
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface NotForBinaries {
    /** Why: what it looks at beside the running program. */
    String value();
}
