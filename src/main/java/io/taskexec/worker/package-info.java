/** The worker role: claims due executions, runs them, records what became of them and keeps their leases. */
@NullMarked
@CheckReturnValue
package io.taskexec.worker;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
