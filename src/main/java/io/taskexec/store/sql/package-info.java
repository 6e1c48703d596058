/** Connections, transactions, natural batching and row mapping. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.sql;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
