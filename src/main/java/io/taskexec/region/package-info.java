/**
 * Says that the roles of a region live, follows what becomes of regions, and lets living ones adopt the work of silent
 * ones.
 */
@NullMarked
@CheckReturnValue
package io.taskexec.region;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
