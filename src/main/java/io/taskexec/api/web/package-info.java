/** Shared by all resources: responses, errors, entity tags, cursors and paging. */
@NullMarked
@CheckReturnValue
package io.taskexec.api.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
