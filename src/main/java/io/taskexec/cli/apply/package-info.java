/** Makes what a server has like what files say: reads, checks, compares and then changes, in this order. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.apply;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
