/** The application service for jobs: creates, updates and cancels them, for the API and for the inbound topic. */
@NullMarked
@CheckReturnValue
package io.taskexec.job;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
