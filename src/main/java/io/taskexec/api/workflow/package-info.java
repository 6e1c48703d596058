/** Workflows: their definitions and their runs. */
@NullMarked
package io.taskexec.api.workflow;

import org.jspecify.annotations.NullMarked;
