/** The queues that executions wait in. */
@NullMarked
package io.taskexec.model.queue;

import org.jspecify.annotations.NullMarked;
