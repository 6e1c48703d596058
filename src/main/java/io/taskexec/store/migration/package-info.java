/** Brings the schema of the database up to date. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.migration;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
