/** The subcommands of the command line, and what those share that talk to a server. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
