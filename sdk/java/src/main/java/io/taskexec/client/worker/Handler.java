package io.taskexec.client.worker;

import org.jspecify.annotations.Nullable;

/**
 * Runs tasks of a type.
 *
 * @param <T> the tasks
 */
@FunctionalInterface
public interface Handler<T> {
    /**
     * Runs a task. It may be called again with the same task, after a failure or when a worker was lost.
     *
     * @param task the input of the job
     * @param context what else is known, and what a handler may do
     * @return the result, which becomes JSON of at most 64 KiB, or null
     * @throws Exception when the attempt has failed; {@link PermanentException} when no other one may follow
     */
    @Nullable
    Object run(T task, TaskContext context) throws Exception;
}
