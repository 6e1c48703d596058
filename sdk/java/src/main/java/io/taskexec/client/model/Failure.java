package io.taskexec.client.model;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt, an execution or a run has failed.
 *
 * @param type such as {@code TIMEOUT}
 * @param message one or more sentences
 * @param statusCode of the answer of a receiver
 * @param body of that answer
 * @param code a word for programs, by a pull worker, such as that of a {@code PermanentException}
 */
public record Failure(
        String type,
        String message,
        @Nullable Integer statusCode,
        @Nullable String body,
        @Nullable String code) {}
