@NullMarked
package io.taskexec.examples.cloudillo;

import org.jspecify.annotations.NullMarked;
