/** The statements that find rows which break an invariant. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.invariant;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
