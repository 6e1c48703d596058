/** Workers: they lease tasks from taskexec and run handlers in this process. */
@NullMarked
package io.taskexec.client.worker;

import org.jspecify.annotations.NullMarked;
