/** The commands that are called as what the API has: list, get, create, delete and what else can be done with it. */
@NullMarked
@CheckReturnValue
package io.taskexec.cli.noun;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
