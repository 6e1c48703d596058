package io.taskexec.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a program that runs. Its static {@code @Inject} fields of the types {@link Program}, {@link
 * ServerDb}, {@link Api} and {@link Receiver} are set before its first method runs.
 *
 * <p>Classes with the same settings use one program, one class after the other. Each begins without jobs, endpoints
 * and whatever else has a name; only the versions of endpoints and configs go on counting, and so do metrics and the
 * log. A class that looks at these, or that stops the program, has its own.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ServerExtension.class)
public @interface ServerTest {
    /** The roles of the program; all of them when empty. */
    String roles() default "";

    /** Settings beside those of {@link Program#serving}, each as {@code NAME=value}. */
    String[] env() default {};

    /** Why no other class can use the same program; empty when others can. */
    String own() default "";
}
