/** The queues of WORKER endpoints, and leases of several workers at once. */
@NullMarked
@CheckReturnValue
package io.taskexec.store.pull;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
