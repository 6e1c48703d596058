/** The virtual clock of {@code taskexec dev}: moves the time ahead from one thing that is due to the next. */
@NullMarked
@CheckReturnValue
package io.taskexec.clock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
