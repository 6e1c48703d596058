/** Makes the meters of what happens with each job, and switches them off. */
@NullMarked
@CheckReturnValue
package io.taskexec.metrics;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
