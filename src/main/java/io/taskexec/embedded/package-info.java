/** The embedded PostgreSQL of {@code taskexec dev} and its data directory. */
@NullMarked
@CheckReturnValue
package io.taskexec.embedded;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
