/** Reads what is said about HTTP targets, of endpoints and of jobs. */
@NullMarked
@CheckReturnValue
package io.taskexec.request.spec;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
