package io.taskexec.api.web;

import io.taskexec.request.ErrorCode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the errors of a route, beside those that every route has, for the OpenAPI document. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Fails {
    ErrorCode[] value();

    /** Whether it takes a graph of jobs, which has errors of its own. */
    boolean graph() default false;
}
