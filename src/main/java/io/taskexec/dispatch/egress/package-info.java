/** The egress guard: which addresses deliveries may connect to. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch.egress;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
