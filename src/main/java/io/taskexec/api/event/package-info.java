/** The stream of events, as server-sent events. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.event;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
