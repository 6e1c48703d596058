/** Deliveries to Redis streams. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch.redis;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
