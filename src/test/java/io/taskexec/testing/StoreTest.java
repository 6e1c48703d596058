package io.taskexec.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a database of its own. Its static {@code @Inject} fields of the types {@link TestDb} and
 * {@link Rows} are set before its first method runs; the database is closed after the last one.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(StoreExtension.class)
public @interface StoreTest {
    /** Whether each test begins without jobs, see {@link Rows#clearJobs}. */
    boolean clearJobs() default true;
}
