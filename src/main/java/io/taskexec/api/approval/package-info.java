/** REST and pages: the questions that executions ask people, and their decisions. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.approval;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
