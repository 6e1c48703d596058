/** The commands that run the server or look at its database, one class for each. */
@NullMarked
@CheckReturnValue
package io.taskexec.command;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
