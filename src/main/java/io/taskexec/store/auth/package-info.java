/** The tables of API keys and of the audit log. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.auth;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
