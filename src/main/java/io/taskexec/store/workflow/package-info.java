/** Keeps the runs of workflows: their start, their end, their cancellation, and how they stand. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
