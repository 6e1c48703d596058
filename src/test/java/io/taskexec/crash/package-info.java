/** Several processes of the packaged program on one database, some of which are killed. */
@NullMarked
package io.taskexec.crash;

import org.jspecify.annotations.NullMarked;
