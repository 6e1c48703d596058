/** The circuit breakers of endpoints. */
@NullMarked
@CheckReturnValue
package io.taskexec.worker.breaker;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
