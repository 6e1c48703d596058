/** Deliveries by HTTP, with TLS identities, access tokens and proxies. */
@NullMarked
@CheckReturnValue
package io.taskexec.dispatch.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
