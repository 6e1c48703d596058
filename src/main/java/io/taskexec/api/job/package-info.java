/** Jobs, their schedules and the ledgers of their ticks. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.job;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
