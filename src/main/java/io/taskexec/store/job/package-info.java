/** The tables of jobs and schedules: creation, cancellation, ticks and ledgers. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.job;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
