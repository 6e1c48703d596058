/** Live output: events of executions, and a view of a server. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.live;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
