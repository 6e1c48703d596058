@NullMarked
package io.taskexec.client;

import org.jspecify.annotations.NullMarked;
