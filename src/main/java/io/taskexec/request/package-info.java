/** Reads JSON requests: fields, bounds and error codes. Used by all ways in. */
@NullMarked
@CheckReturnValue
package io.taskexec.request;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
