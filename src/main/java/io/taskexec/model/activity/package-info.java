/** The reports of workers about the last minute, for display. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.activity;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
