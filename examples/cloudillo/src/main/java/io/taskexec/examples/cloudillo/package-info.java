/** A federated server in the manner of Cloudillo: its work is done by five types of tasks. */
@NullMarked
package io.taskexec.examples.cloudillo;

import org.jspecify.annotations.NullMarked;
