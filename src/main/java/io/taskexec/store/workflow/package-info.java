/** Keeps the runs of workflows: their start, their end, their cancellation, and how they stand. */
@NullMarked
package io.taskexec.store.workflow;

import org.jspecify.annotations.NullMarked;
