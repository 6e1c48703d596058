/** Delivery to the outside: one dispatcher per transport, and the guard that decides which addresses may be called. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
