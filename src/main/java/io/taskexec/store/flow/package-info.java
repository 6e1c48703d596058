/** Reads and writes the limits of queues and of flow keys. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.flow;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
