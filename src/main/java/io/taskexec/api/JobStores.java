package io.taskexec.api;

import io.taskexec.store.JobCreator;
import io.taskexec.store.JobStore;
import io.taskexec.store.ScheduleStore;

/** Writes jobs, and reads what was written. */
record JobStores(JobCreator creator, ScheduleStore schedules, JobStore jobs) {}
