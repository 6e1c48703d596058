/** Executions that wait for others: edges, and what the end of a parent does to its children. */
@NullMarked
package io.taskexec.store.dependency;

import org.jspecify.annotations.NullMarked;
