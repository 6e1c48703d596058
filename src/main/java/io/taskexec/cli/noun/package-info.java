/** Commands for the resources of the API: list, get, create, delete and actions. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.noun;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
