/** Computes when schedules fire: cron expressions and intervals, time zones and changes of the clock, with no I/O. */
@NullMarked
@CheckReturnValue
package io.taskexec.schedule;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
