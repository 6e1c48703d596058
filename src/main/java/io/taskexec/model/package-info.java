/** The words of taskexec as records and sealed types, with no I/O. */
@NullMarked
@CheckReturnValue
package io.taskexec.model;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
