package io.taskexec.testing;

import io.taskexec.store.job.JobForm;

/** Forms of the statement that creates jobs. */
public final class JobForms {
    /** Of jobs without anything that only some have. */
    public static final JobForm PLAIN = new JobForm(false, false, false, false, false, false, false);

    public static final JobForm TAGGED = new JobForm(true, false, false, false, false, false, false);
    public static final JobForm KEYED = new JobForm(false, true, false, false, false, false, false);
    public static final JobForm STARTING = new JobForm(false, false, false, false, false, false, true);

    private JobForms() {}
}
