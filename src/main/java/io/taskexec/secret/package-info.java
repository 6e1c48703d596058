/** Encrypts secrets at rest, keeps their values out of texts, makes and checks API keys, and signs with secrets. */
@NullMarked
@CheckReturnValue
package io.taskexec.secret;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
