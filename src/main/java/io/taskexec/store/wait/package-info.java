/** Stores what deferred executions wait for, and what their receivers say. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.wait;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
