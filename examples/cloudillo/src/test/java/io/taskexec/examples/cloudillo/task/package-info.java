@NullMarked
package io.taskexec.examples.cloudillo.task;

import org.jspecify.annotations.NullMarked;
