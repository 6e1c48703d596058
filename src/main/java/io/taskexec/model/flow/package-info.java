/** Limits of queues and of flow keys. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.flow;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
