/** Turns endpoint, config, secrets and input into a request with nothing left to resolve. */
@NullMarked
@CheckReturnValue
package io.taskexec.resolve;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
