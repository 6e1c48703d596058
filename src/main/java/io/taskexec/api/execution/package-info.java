/** Executions, their attempts and logs, and operations on many of them. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.execution;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
