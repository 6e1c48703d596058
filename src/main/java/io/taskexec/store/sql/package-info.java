/** Connections, transactions, natural batching, row mapping and migrations. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.sql;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
