/** What a server does as it does it: events of executions, and a view of everything that changes. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.live;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
