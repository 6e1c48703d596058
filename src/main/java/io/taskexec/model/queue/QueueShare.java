package io.taskexec.model.queue;

/**
 * A queue that workers may claim from, with what decides about its part of the claims.
 *
 * @param queueId the number of the queue
 * @param weight its part beside the weights of other queues that have something due
 * @param agingMs the milliseconds of waiting by which an execution gains one priority; 0 when none does
 * @param isLimited whether only so many executions may run or begin
 */
public record QueueShare(int queueId, int weight, long agingMs, boolean isLimited) {
    /** Whether the queue has no limits and the weight of any other queue, and its executions do not age. */
    public boolean isPlain() {
        return weight == 1 && agingMs == 0 && !isLimited;
    }
}
