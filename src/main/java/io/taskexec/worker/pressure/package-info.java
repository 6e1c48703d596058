/** How hard this process is pressed, and which priorities may start therefore. */
@NullMarked
@CheckReturnValue
package io.taskexec.worker.pressure;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
