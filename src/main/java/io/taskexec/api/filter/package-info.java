/** Filters that every request passes: query parameters, OPTIONS, metrics, traces, shutdown. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.filter;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
