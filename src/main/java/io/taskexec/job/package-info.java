/** The application service for jobs: creates, updates and cancels them, whoever asks. */
@NullMarked
@CheckReturnValue
package io.taskexec.job;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
