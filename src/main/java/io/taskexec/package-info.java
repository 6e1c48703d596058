/** The composition root: the command line, the roles and the checks at start. */
@NullMarked
@CheckReturnValue
package io.taskexec;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
