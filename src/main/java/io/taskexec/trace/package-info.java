/** Exports spans to a collector of traces, over OTLP, when one is configured. */
@NullMarked
@CheckReturnValue
package io.taskexec.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
