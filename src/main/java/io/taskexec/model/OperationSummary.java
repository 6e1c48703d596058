package io.taskexec.model;

/** Says in a sentence what an operation does, in the OpenAPI document and in the help of the command for it. */
public final class OperationSummary {
    public static final String GET_BREAKER = "Get the circuit breaker of an endpoint.";
    public static final String ENABLE_ENDPOINT = "Enable an endpoint that was disabled.";
    public static final String LIST_ENDPOINT_EVENTS = "List the events of an endpoint, newest first.";

    public static final String PAUSE_QUEUE = "Pause a queue.";
    public static final String RESUME_QUEUE = "Resume a queue.";

    public static final String GET_FORECAST = "Forecast the starts of the next hours, against caps and rates.";

    public static final String GET_JOB_STATUS = "Get the health and the statistics of a job.";
    public static final String LIST_JOB_EXECUTIONS = "List the executions of a job, newest first.";
    public static final String LIST_TICKS = "List the ticks of a schedule, newest first.";
    public static final String LIST_JOB_VERSIONS = "List the versions of a job, newest first.";
    public static final String CANCEL_JOB = "Cancel a job.";
    public static final String TRIGGER_JOB = "Trigger a job now.";
    public static final String PAUSE_JOB = "Pause a schedule.";
    public static final String RESUME_JOB = "Resume a schedule.";
    public static final String BACKFILL_JOB = "Backfill past ticks of a schedule.";
    public static final String UPDATE_JOB = "Change some fields of a job.";

    public static final String LIST_ATTEMPTS = "List the attempts of an execution, first to last.";
    public static final String RETRY_EXECUTION = "Retry an execution that has ended.";
    public static final String EXPLAIN_EXECUTION = "Explain why an execution runs or does not run.";
    public static final String CANCEL_EXECUTION = "Cancel an execution.";

    public static final String LIST_PRESSURE = "List the pressure of all sources.";
    public static final String SET_PRESSURE = "Set a signal of pressure for a time.";
    public static final String CLEAR_PRESSURE = "Clear a signal of pressure.";

    public static final String LIST_APPROVALS = "List the questions that executions ask people, newest first.";

    public static final String GET_CLOCK = "Get the virtual clock.";
    public static final String ADVANCE_CLOCK = "Move the virtual clock ahead.";

    public static final String CREATE_KEY = "Create an API key.";
    public static final String REVOKE_KEY = "Revoke an API key.";

    public static final String CANCEL_WORKFLOW = "Cancel a run of a workflow.";
    public static final String RETRY_WORKFLOW = "Repeat the jobs of a run that have failed, and those after them.";
    public static final String REPLAY_WORKFLOW = "Repeat a whole run of a workflow.";

    private OperationSummary() {}
}
