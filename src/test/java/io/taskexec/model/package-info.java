/** Tests of the words of taskexec. */
@NullMarked
package io.taskexec.model;

import org.jspecify.annotations.NullMarked;
