@NullMarked
package io.taskexec.examples.cloudillo.image;

import org.jspecify.annotations.NullMarked;
