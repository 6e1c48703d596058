/** Leases of executions that pull workers ask for, extend and end. */
@NullMarked
@CheckReturnValue
package io.taskexec.lease;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
