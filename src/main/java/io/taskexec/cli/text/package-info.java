/** Text formats: tables, YAML, times and the terminal. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.text;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
