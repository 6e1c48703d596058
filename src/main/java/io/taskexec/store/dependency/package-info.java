/** Executions that wait for others: edges, and what the end of a parent does to its children. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.dependency;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
