package io.taskexec.client;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the endpoint of a {@link Task}. A class that is renamed keeps its jobs by it. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TaskName {
    /**
     * Names the endpoint.
     *
     * @return the name: at most 63 small letters, digits and hyphens
     */
    String value();
}
