/** The partitions of history by days, which only PostgreSQL has. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.history;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
