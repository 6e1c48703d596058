/** Signals of pressure from outside. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.pressure;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
