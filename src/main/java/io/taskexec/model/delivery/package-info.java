/** Deliveries: requests with nothing left to resolve, and their outcomes. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.delivery;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
