/** The tables of executions: claims, leases, results, history and retention. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.execution;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
