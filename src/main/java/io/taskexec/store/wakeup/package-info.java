/** Wakes processes that sleep until work is due, by LISTEN and NOTIFY. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.wakeup;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
