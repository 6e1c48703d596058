/** Pressure: signals from outside, and what workers tell of themselves. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.pressure;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
