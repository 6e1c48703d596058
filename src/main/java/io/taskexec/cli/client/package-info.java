/** The client of the API for all commands: profiles, options and errors. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
