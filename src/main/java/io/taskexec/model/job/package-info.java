/** Jobs, schedules and executions. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.job;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
