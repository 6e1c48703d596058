/** Forecasts of the load to come. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.forecast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
