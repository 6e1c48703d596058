/** Endpoints and what they refer to: configs, secrets and payload specs. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.endpoint;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
