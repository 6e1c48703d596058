/** Converts the schedules of other schedulers to manifests. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.convert;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
