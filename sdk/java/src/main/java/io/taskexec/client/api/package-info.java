/** The routes of the API, by noun. {@link io.taskexec.client.Taskexec} has one of each. */
@NullMarked
package io.taskexec.client.api;

import org.jspecify.annotations.NullMarked;
