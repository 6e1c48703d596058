package io.taskexec.job;

import io.taskexec.store.job.JobCreator;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.ScheduleStore;

/** Writes jobs, and reads what was written. */
record JobStores(JobCreator creator, ScheduleStore schedules, JobStore jobs) {}
