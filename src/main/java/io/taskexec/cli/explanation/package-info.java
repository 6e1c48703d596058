/** The reasons why an execution runs or does not run, laid out for people. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.explanation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
