/** Limits for the connections that clients open, in number and in time. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.connection;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
