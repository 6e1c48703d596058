/** Routes of pull workers. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.lease;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
