/** Workflows: graphs of jobs that start together, and a run of which ends when they have ended. */
@NullMarked
@CheckReturnValue
package io.taskexec.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
