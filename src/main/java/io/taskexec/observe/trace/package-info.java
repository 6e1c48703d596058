/** Exports spans to a collector of traces, over OTLP, when one is configured. */
@NullMarked
@CheckReturnValue
package io.taskexec.observe.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
