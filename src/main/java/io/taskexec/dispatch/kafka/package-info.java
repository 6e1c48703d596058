/** Deliveries to Kafka topics. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch.kafka;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
