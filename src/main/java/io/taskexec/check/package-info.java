/** Checks a live database: whether anything was lost or left behind. */
@NullMarked
@CheckReturnValue
package io.taskexec.check;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
