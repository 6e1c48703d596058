/** Encrypts secrets at rest, keeps their values out of texts, and makes and checks API keys. */
@NullMarked
@CheckReturnValue
package io.taskexec.secret;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
