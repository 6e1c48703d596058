/** The tables of regions, and which of them this process works for. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.region;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
