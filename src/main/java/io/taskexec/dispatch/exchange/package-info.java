/** Parts that the exchanges of all transports have in common: one result for each delivery, and shared connections. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch.exchange;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
