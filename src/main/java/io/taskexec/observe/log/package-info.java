/** The ids in lines of the log, and their safe output. */
@NullMarked
@CheckReturnValue
package io.taskexec.observe.log;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
