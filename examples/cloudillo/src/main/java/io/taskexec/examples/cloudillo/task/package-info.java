/** The five types of tasks. All of them may run twice, and do the same again. */
@NullMarked
package io.taskexec.examples.cloudillo.task;

import org.jspecify.annotations.NullMarked;
