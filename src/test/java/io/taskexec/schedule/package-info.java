/** Tests of when schedules fire. */
@NullMarked
package io.taskexec.schedule;

import org.jspecify.annotations.NullMarked;
