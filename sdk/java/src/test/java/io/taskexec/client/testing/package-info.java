@NullMarked
package io.taskexec.client.testing;

import org.jspecify.annotations.NullMarked;
