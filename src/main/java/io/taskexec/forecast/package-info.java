/** Forecasts the starts of the next hours, and proposes how schedules that start together spread. */
@NullMarked
@CheckReturnValue
package io.taskexec.forecast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
