/** Options that several commands have, and what becomes of their values. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.option;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
