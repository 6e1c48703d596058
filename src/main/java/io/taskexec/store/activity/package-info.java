/** The activity of all processes minute by minute, for charts. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.activity;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
