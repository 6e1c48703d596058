/** The scheduler role: frees the work of dead workers and removes old history. */
@NullMarked
@CheckReturnValue
package io.taskexec.scheduler;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
