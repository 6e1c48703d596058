/** Finds out how many calls at once a receiver can take, by additive increase and multiplicative decrease. */
@NullMarked
@CheckReturnValue
package io.taskexec.worker.adaptive;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
