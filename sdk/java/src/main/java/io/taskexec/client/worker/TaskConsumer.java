package io.taskexec.client.worker;

/**
 * Runs tasks of a type that have no result.
 *
 * @param <T> the tasks
 */
@FunctionalInterface
public interface TaskConsumer<T> {
    /**
     * Runs a task, as {@link Handler#run} does.
     *
     * @param task the input of the job
     * @param context what else is known, and what a handler may do
     * @throws Exception when the attempt has failed
     */
    void run(T task, TaskContext context) throws Exception;
}
