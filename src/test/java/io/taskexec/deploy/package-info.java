/** What is in deploy/ and cannot be run here is read, put together and checked as those would do it who run it. */
@NullMarked
package io.taskexec.deploy;

import org.jspecify.annotations.NullMarked;
