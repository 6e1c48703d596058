/** The packaged program from outside: its HTTP interfaces and its command line. */
@NullMarked
package io.taskexec.e2e;

import org.jspecify.annotations.NullMarked;
