/** API keys with their scopes, secrets and the audit log. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.audit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
