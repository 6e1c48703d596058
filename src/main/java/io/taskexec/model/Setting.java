package io.taskexec.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What a setting means and what it may be. The check at the start, {@code taskexec config} and
 * {@code docs/configuration.md} all read it here, on the methods of the interfaces of settings.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Setting {
    /** What it is for, in Markdown, with links as they are from {@code docs}. */
    String value();

    /** What a number counts, such as {@code ms}. */
    String unit() default "";

    /** The least number, or the fewest characters of a text. */
    long min() default Long.MIN_VALUE;

    /** The greatest number, or the most characters of a text. */
    long max() default Long.MAX_VALUE;

    /** What a text looks like, such as {@code host:port}. */
    String form() default "";

    /** What holds where it is not given, in Markdown; for those alone whose default says it badly, or that have none. */
    String otherwise() default "";

    /** Whether it may also be given as the path of a file, by the same name with {@code _FILE} behind it. */
    boolean file() default false;

    /** How much of a value may be shown. */
    Shown shown() default Shown.ALL;

    /** How much of a value may be shown. */
    enum Shown {
        ALL,
        /** A URL without the password in it. */
        WITHOUT_PASSWORD,
        NOTHING
    }
}
