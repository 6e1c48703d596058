/** The tables of operations on many executions. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.operation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
