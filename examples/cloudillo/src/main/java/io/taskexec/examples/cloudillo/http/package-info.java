/** The HTTP API: for the owner of the instance, and for other instances. */
@NullMarked
package io.taskexec.examples.cloudillo.http;

import org.jspecify.annotations.NullMarked;
