/** The shares that queues have of the claims. */
@NullMarked
@CheckReturnValue
package io.taskexec.worker.share;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
