/** Commands that look ahead: what starts when, and how schedules spread. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.forecast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
