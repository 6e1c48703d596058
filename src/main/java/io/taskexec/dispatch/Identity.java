package io.taskexec.dispatch;

import io.taskexec.model.Delivery;
import io.taskexec.model.PublicId;
import java.util.LinkedHashMap;
import java.util.Map;

/** What lets a receiver make a delivery that arrives twice take effect once, the same on every transport. */
final class Identity {
    private Identity() {}

    /** Names to values, in the order they are sent. */
    static Map<String, String> of(Delivery delivery) {
        var execution = PublicId.EXECUTION.show(delivery.executionId());
        var identity = LinkedHashMap.<String, String>newLinkedHashMap(5);
        identity.put("Idempotency-Key", execution);
        identity.put("Taskexec-Execution-Id", execution);
        identity.put("Taskexec-Job-Id", PublicId.JOB.show(delivery.jobId()));
        identity.put("Taskexec-Attempt", Integer.toString(delivery.attempt()));
        identity.put("Taskexec-Scheduled-For", delivery.scheduledFor().toString());
        return identity;
    }
}
