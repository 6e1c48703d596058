/** The OpenAPI document, the documents and the page at the root. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.openapi;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
