/** Deferral: takes callbacks of receivers, polls them, and ends executions that have waited for too long. */
@NullMarked
@CheckReturnValue
package io.taskexec.wait;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
