/** Runs duties over and over: interval, wake-up, stop; never dies. */
@NullMarked
@CheckReturnValue
package io.taskexec.loop;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
