/** Workflows: graphs of jobs that start together, and a run of which ends when they have ended. */
@NullMarked
package io.taskexec.workflow;

import org.jspecify.annotations.NullMarked;
