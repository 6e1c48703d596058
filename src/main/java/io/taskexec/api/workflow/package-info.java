/** Workflows: their definitions and their runs. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.workflow;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
