/** A taskexec for tests, with a clock that can be moved. It needs no test framework. */
@NullMarked
package io.taskexec.client.testing;

import org.jspecify.annotations.NullMarked;
