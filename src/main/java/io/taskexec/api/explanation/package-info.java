/** The reasons why an execution runs or does not run. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.explanation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
