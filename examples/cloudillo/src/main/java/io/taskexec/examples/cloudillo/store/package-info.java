/** Files of an instance: blobs by their content, and what is known about files and actions. */
@NullMarked
package io.taskexec.examples.cloudillo.store;

import org.jspecify.annotations.NullMarked;
