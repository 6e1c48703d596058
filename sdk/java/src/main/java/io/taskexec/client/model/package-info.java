/**
 * Answers of the API as records. What may be absent is {@code null}, times are instants, and fields that this version
 * does not know are left out; {@link io.taskexec.client.Http} returns whole answers as JSON.
 */
@NullMarked
package io.taskexec.client.model;

import org.jspecify.annotations.NullMarked;
