/** Charts of the dashboard, as SVG that the server makes. */
@NullMarked
@CheckReturnValue
package io.taskexec.web.chart;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
