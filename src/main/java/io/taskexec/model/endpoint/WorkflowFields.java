package io.taskexec.model.endpoint;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.NAME;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.words;

import io.taskexec.model.FieldDefinition;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.MapOf;
import io.taskexec.model.ValueType.Order;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Text;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.dependency.TriggerRule;
import io.taskexec.model.queue.Queue;

/** Defines the fields of workflows. */
public final class WorkflowFields {
    /** The name of a job within a workflow or a batch, and that of a parent in templates. */
    public static final Text JOB_NAME = Text.like(63, "^[A-Za-z0-9_-]{1,63}$");

    /** One label of a job. */
    public static final Text TAG = Text.like(63, "^[A-Za-z0-9._:=/@-]{1,63}$");

    /** The job of a workflow. */
    public static final ObjectDefinition JOB = ObjectDefinition.of(
            "WorkflowJob",
            required("endpoint", NAME),
            optional("input", Plain.ANY)
                    .says("Its strings are templates, with {{workflow.input...}}, {{workflow.context...}} and"
                            + " {{parents...}}."),
            optional("depends_on", new ListOf(JOB_NAME, 0, Dependencies.MOST_PARENTS, Order.SET))
                    .or("[]")
                    .says("Names of other jobs of the workflow."),
            optional("trigger_rule", words("TriggerRule", TriggerRule.values()))
                    .or(TriggerRule.ALL_SUCCESS)
                    .says("How they must have ended."),
            optional("when", Plain.ANY)
                    .says("A condition on their outputs or on the input: it is skipped when it does not hold."),
            optional("delay", duration())
                    .says("How long it waits from the moment when its trigger rule holds.")
                    .example("PT15M"),
            optional("ttl", duration())
                    .says("No first attempt begins later than so long after it is ready; default that of the queue.")
                    .example("PT1H"),
            optional("queue", NAME).says("Where it waits; default the queue of its endpoint."),
            optional("priority", new Whole(0, 7)).or("4").says("0 is the most urgent."),
            optional("timeout_ms", EndpointFields.CALL_TIMEOUT).says("Of each call; default that of the endpoint."),
            EndpointFields.RETRY_ON.says("In place of that of the endpoint, with 'no_retry_on'."),
            EndpointFields.NO_RETRY_ON.says("In place of that of the endpoint, with 'retry_on'."),
            optional("tags", new ListOf(TAG, 0, 10, Order.SET))
                    .or("[]")
                    .says("Each of 1 to 63 letters, digits and any of . _ : = / @ -"));

    public static final FieldDefinition JOBS =
            required("jobs", new MapOf(JOB, WorkflowSpec.MOST_JOBS)).says("Names to jobs, at most 1,000.");

    public static final FieldDefinition FAILURE_POLICY = optional(
                    "failure_policy", words("FailurePolicy", FailurePolicy.values()))
            .or(FailurePolicy.CONTINUE)
            .says("What a failed job means for the others: fail_fast cancels those that wait, for a retry, a callback"
                    + " or a decision too.");

    public static final FieldDefinition DEADLINE = optional("deadline", duration())
            .says("From the start of a run on; no attempt of its jobs begins later.")
            .example("PT6H");

    static final ObjectDefinition SPEC = ObjectDefinition.of("WorkflowSpec", JOBS, FAILURE_POLICY, DEADLINE);

    /** A named workflow. */
    public static final ObjectDefinition DEFINITION = ObjectDefinition.of(
            "WorkflowDefinitionUpdate",
            JOBS,
            FAILURE_POLICY,
            DEADLINE,
            optional("payload_spec", NAME).says("The schema of the inputs of its runs."),
            optional("queue", NAME).or("\"" + Queue.DEFAULT.name() + "\"").says("Where runs wait for their start."),
            optional("on_success", NAME).says("The endpoint that gets the outputs of its runs."),
            optional("on_failure", NAME).says("The endpoint that gets the errors of its runs."));

    private WorkflowFields() {}
}
