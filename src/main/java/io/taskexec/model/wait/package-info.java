/** Deferral: executions that wait for their receiver without a worker. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.wait;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
