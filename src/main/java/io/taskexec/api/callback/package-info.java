/** REST: takes the callbacks of receivers, which have no API key. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.callback;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
