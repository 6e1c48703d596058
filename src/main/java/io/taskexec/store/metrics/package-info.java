/** Counts what statements have changed. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
