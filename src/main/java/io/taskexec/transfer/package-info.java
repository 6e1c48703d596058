/** Exports and imports: the lines of the stream, secrets that change their key on the way, progress. */
@NullMarked
@CheckReturnValue
package io.taskexec.transfer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
