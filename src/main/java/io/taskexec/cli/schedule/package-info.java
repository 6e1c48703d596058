/** Commands for schedules: the next ticks of a cron expression. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.schedule;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
