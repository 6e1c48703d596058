/** Makes the meters that are touched with each job, and switches them off. */
@NullMarked
@CheckReturnValue
package io.taskexec.observe.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
