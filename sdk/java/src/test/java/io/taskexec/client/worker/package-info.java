@NullMarked
package io.taskexec.client.worker;

import org.jspecify.annotations.NullMarked;
