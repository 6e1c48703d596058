/** The queues that executions wait in. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.queue;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
