/** The REST API: one resource per noun, authentication, errors and cursors. */
@NullMarked
@CheckReturnValue
package io.taskexec.api;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
