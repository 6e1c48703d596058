/** Reads and checks the settings before anything starts. */
@NullMarked
@CheckReturnValue
package io.taskexec.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
