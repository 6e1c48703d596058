/** Applies files to a server: reads, checks, compares and changes resources, in this order. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.apply;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
