/** Sends recorded requests elsewhere, and compares the responses. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.replay;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
