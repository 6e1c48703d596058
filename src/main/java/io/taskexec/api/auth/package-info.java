/** API keys: authentication, permissions, rate limits and the audit log. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.auth;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
