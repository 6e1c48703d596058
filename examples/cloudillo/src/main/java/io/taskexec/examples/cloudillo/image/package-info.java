/** Variants of photographs: reading, resampling, writing. */
@NullMarked
package io.taskexec.examples.cloudillo.image;

import org.jspecify.annotations.NullMarked;
