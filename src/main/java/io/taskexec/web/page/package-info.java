/** The pages of the dashboard. */
@NullMarked
@CheckReturnValue
package io.taskexec.web.page;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
