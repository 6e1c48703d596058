@NullMarked
package io.taskexec.examples.cloudillo.store;

import org.jspecify.annotations.NullMarked;
