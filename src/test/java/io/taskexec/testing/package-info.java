/** What tests share: real counterparts on free ports, and waiting for events instead of time. */
@NullMarked
package io.taskexec.testing;

import org.jspecify.annotations.NullMarked;
