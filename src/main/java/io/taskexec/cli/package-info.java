/** The subcommands of the command line, and their common parts. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
