/** Commands for receivers: {@code echo} shows deliveries, {@code verify} checks signatures. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.receiver;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
