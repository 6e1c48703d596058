package io.taskexec.api.auth;

import io.taskexec.api.approval.ApprovalResource;
import io.taskexec.api.callback.CallbackResource;
import io.taskexec.api.execution.BulkResource;
import io.taskexec.api.execution.ExecutionResource;
import io.taskexec.api.execution.OperationResource;
import io.taskexec.api.job.JobBatchResource;
import io.taskexec.api.job.JobKeyResource;
import io.taskexec.api.job.JobResource;
import io.taskexec.api.job.LedgerResource;
import io.taskexec.api.job.ScheduleControlResource;
import io.taskexec.api.job.ScheduleResource;
import io.taskexec.api.lease.LeaseResource;
import io.taskexec.api.workflow.WorkflowResource;
import io.taskexec.model.audit.KeyScope;
import java.util.Set;

/** Maps requests to the scopes that they need. By default every key may read, and administrators may write. */
final class Permission {
    private static final Set<Class<?>> ADMIN_ONLY = Set.of(KeyResource.class, AuditResource.class);
    private static final Set<Class<?>> JOBS = Set.of(
            JobResource.class,
            JobBatchResource.class,
            JobKeyResource.class,
            ExecutionResource.class,
            ApprovalResource.class,
            BulkResource.class,
            OperationResource.class,
            ScheduleControlResource.class,
            LedgerResource.class,
            WorkflowResource.class);

    private static final Set<Class<?>> WORK = Set.of(LeaseResource.class);

    /** What needs no key: a token is part of the address. */
    private static final Set<Class<?>> OPEN = Set.of(CallbackResource.class);

    /** Asked with POST because questions may be long; nothing is written. */
    private static final Set<Class<?>> QUESTIONS = Set.of(ScheduleResource.class);

    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

    private Permission() {}

    /** @param resource the class that answers; a path could be spelled in more than one way */
    static KeyScope needed(String method, Class<?> resource) {
        if (ADMIN_ONLY.contains(resource)) {
            return KeyScope.ADMIN;
        }
        if (WORK.contains(resource)) {
            return KeyScope.WORK;
        }
        if (isReading(method, resource)) {
            return KeyScope.READ;
        }
        return JOBS.contains(resource) ? KeyScope.JOBS : KeyScope.ADMIN;
    }

    /** Whether a request needs no key. */
    static boolean isOpen(Class<?> resource) {
        return OPEN.contains(resource);
    }

    /** Whether a request changes nothing. */
    static boolean isReading(String method, Class<?> resource) {
        return READING.contains(method) || QUESTIONS.contains(resource);
    }
}
