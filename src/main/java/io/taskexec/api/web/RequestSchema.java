package io.taskexec.api.web;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the schema of the body that a route reads as bytes, for the OpenAPI document. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RequestSchema {
    String value();

    /** Whether a request must have a body. */
    boolean required() default true;
}
