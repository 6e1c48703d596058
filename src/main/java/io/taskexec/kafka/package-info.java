/** The Kafka topics that jobs come from and that events go to. */
@NullMarked
@CheckReturnValue
package io.taskexec.kafka;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
