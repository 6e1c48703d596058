/** Parses and resolves {@code {{namespace.path}}} placeholders in texts and JSON trees. */
@NullMarked
@CheckReturnValue
package io.taskexec.template;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
