/** The worker processes: their heartbeats, and what the dead have left. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.worker;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
