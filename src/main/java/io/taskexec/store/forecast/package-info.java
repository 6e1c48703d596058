/** Reads what is known of the load to come: starts that wait, starts of the past, and limits. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.forecast;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
