/** Metrics and spans of attempts. */
@NullMarked
@CheckReturnValue
package io.taskexec.worker.observe;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
