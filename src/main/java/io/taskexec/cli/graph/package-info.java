/** Graphs of jobs, drawn with the characters of a terminal. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.graph;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
