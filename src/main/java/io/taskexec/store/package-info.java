/** All SQL: statements beside the methods that run them, row mapping, natural batching, transactions and migrations. */
@NullMarked
@CheckReturnValue
package io.taskexec.store;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
