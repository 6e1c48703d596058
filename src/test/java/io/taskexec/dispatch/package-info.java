/** Tests of the deliveries, against real sockets. */
@NullMarked
package io.taskexec.dispatch;

import org.jspecify.annotations.NullMarked;
