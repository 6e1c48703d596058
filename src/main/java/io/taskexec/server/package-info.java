/** The running process: roles, schema, health and the routes of the management port. */
@NullMarked
@CheckReturnValue
package io.taskexec.server;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
