/** The client: {@link io.taskexec.client.Taskexec} connects, creates jobs of typed tasks and has the whole API. */
@NullMarked
package io.taskexec.client;

import org.jspecify.annotations.NullMarked;
