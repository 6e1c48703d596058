/** How things look to people: tables, YAML, times and the terminal; knows no server. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.text;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
