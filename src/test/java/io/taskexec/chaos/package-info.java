/** Many processes on one database, to all of which bad things happen at once. */
@NullMarked
package io.taskexec.chaos;

import org.jspecify.annotations.NullMarked;
