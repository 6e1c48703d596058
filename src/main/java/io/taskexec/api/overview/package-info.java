/** One snapshot of the whole system. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.overview;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
