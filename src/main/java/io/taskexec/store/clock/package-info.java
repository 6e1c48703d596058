/** The virtual clock of the database: the functions that stand in for its own, and what is due next. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.clock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
