package io.taskexec.schema;

/**
 * A way in which an input does not fit its schema.
 *
 * @param pointer to the offending value, as a JSON Pointer (RFC 6901); empty for the whole input
 * @param message what is wrong, without the pointer
 */
public record Violation(String pointer, String message) {}
