/** The headers that deliveries carry on every transport. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch.delivery;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
