/** The tables of the log of events. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.event;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
