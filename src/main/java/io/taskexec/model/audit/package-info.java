/** Who may do what and who did it: API keys, secrets, the audit log. */
@NullMarked
@CheckReturnValue
package io.taskexec.model.audit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
