/** Compiles JSON Schemas and checks inputs against them; the only user of the validator library. */
@NullMarked
@CheckReturnValue
package io.taskexec.schema;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
