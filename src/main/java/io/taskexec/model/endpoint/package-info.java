/** Endpoints: targets as they are registered, and their policies. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.endpoint;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
