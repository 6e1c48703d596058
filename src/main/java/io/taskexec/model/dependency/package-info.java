/** Jobs that wait for others: rules, conditions, and what they see of their parents. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.dependency;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
