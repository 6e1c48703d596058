/** What {@code taskexec dev} needs on one machine: a PostgreSQL of its own and the directory that keeps it. */
@NullMarked
@CheckReturnValue
package io.taskexec.embedded;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
