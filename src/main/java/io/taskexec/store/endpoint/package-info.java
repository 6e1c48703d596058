/** The tables of endpoints, configs, payload specs, secrets, queues and circuit breakers. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.endpoint;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
