/** Facts about one execution that tell why it runs or does not run; read on demand, each by a bounded look. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.explanation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
