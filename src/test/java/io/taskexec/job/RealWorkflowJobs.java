package io.taskexec.job;

import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.job.QueueTtls;
import io.taskexec.store.sql.Database;

/** The real jobs of workflows, on a database of a test. */
public final class RealWorkflowJobs {
    private RealWorkflowJobs() {}

    public static WorkflowJobs on(Database database) {
        var checks = new InputChecks();
        return new WorkflowJobs(
                RealJobCreation.endpoints(database, checks),
                new JobQueues(new QueueStore(database), new QueueTtls(new QueueSettingsStore(database))),
                checks);
    }
}
