/** Routes that only {@code taskexec dev} has. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.dev;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
