package io.taskexec.examples.cloudillo.store;

/**
 * A file that was uploaded.
 *
 * @param fileId of its content
 * @param name as the user has it
 * @param contentType as the user has said
 * @param bytes its size
 */
public record FileRecord(String fileId, String name, String contentType, long bytes) {}
