/** Leases of pull workers as they are asked for. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.lease;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
