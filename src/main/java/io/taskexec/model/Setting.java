package io.taskexec.model;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes a setting: its meaning and its bounds. The check at the start, {@code taskexec config} and
 * {@code docs/configuration.md} all read it here, on the methods of the interfaces of settings.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Setting {
    /** Its purpose, in Markdown, with links as they are from {@code docs}. */
    String value();

    /** The unit of a number, such as {@code ms}. */
    String unit() default "";

    /** The least number, or the fewest characters of a text. */
    long min() default Long.MIN_VALUE;

    /** The greatest number, or the most characters of a text. */
    long max() default Long.MAX_VALUE;

    /** The form of a text, such as {@code host:port}. */
    String form() default "";

    /** The default in words, in Markdown; for settings whose default value is unclear or missing. */
    String otherwise() default "";

    /** Whether it may also be given as the path of a file, by the same name with {@code _FILE} behind it. */
    boolean file() default false;

    /** The part of a value that may be shown. */
    Shown shown() default Shown.ALL;

    /** The part of a value that may be shown. */
    enum Shown {
        ALL,
        /** A URL without the password in it. */
        WITHOUT_PASSWORD,
        NOTHING
    }
}
