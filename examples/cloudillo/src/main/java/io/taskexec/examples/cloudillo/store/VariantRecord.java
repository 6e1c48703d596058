package io.taskexec.examples.cloudillo.store;

import io.taskexec.examples.cloudillo.image.Variant;

/**
 * A variant of an image.
 *
 * @param variant which one
 * @param fileId of its content
 * @param contentType of its format
 * @param width in pixels
 * @param height in pixels
 * @param bytes its size
 */
public record VariantRecord(Variant variant, String fileId, String contentType, int width, int height, long bytes) {}
