/** The frame of the dashboard: sessions, forms, templates and assets. */
@NullMarked
@CheckReturnValue
package io.taskexec.web.frame;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
