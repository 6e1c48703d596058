/** What lines of the log concern, as fields beside their text. */
@NullMarked
@CheckReturnValue
package io.taskexec.log;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
