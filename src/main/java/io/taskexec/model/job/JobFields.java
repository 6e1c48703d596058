package io.taskexec.model.job;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.ValueType.NAME;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.text;
import static io.taskexec.model.ValueType.words;

import io.taskexec.model.FieldDefinition;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Text;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.ValueType.Words;
import io.taskexec.model.endpoint.EndpointFields;
import io.taskexec.model.endpoint.WorkflowFields;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import java.util.List;

/** Defines the fields of requests for jobs. */
public final class JobFields {
    /** The name of the field with what a job has in place of an endpoint. */
    public static final String TARGET = "target";

    /** The name of the field with the jobs that a job waits for. */
    public static final String DEPENDS_ON = "depends_on";

    /** The name of the field with the name of a job within its batch. */
    public static final String REF = "ref";

    /** The name of a parent in the templates of a child. */
    public static final Text PARENT_NAME = WorkflowFields.JOB_NAME;

    public static final FieldDefinition CRON = optional("cron", text(255)).example("0 9 * * MON");
    public static final FieldDefinition EVERY = optional("every", duration()).example("PT15M");
    public static final FieldDefinition TIMEZONE =
            optional("timezone", text(64)).example("Europe/Berlin");

    public static final FieldDefinition DST = optional(
                    "dst",
                    ObjectDefinition.of(
                            "DstPolicy",
                            optional("gap", words("DstGap", DstPolicy.Gap.values()))
                                    .or(DstPolicy.DEFAULT.gap()),
                            optional("overlap", words("DstOverlap", DstPolicy.Overlap.values()))
                                    .or(DstPolicy.DEFAULT.overlap())))
            .says("What a cron schedule does when the clock changes.");

    /** {@code max} has a default with the mode ALL alone. */
    private static final ObjectDefinition CATCH_UP = ObjectDefinition.of(
            "CatchUp",
            optional("mode", words("CatchUpMode", CatchUp.Mode.values())).or(CatchUp.Mode.ALL),
            optional("max", new Whole(1, 100_000))
                    .says("Of ALL: how many fire at most, the newest ones; default " + CatchUp.DEFAULT_MAX + "."),
            optional("window", duration())
                    .says("Of ALL: how old they may be; default any age.")
                    .example("P1D"));

    /** Its trigger decides which fields a job has. */
    public static final ObjectDefinition NEW_JOB = ObjectDefinition.of(
            "NewJob",
            optional("endpoint", NAME).says("This or 'target' is required."),
            optional(TARGET, EndpointFields.TARGET).says("Where it is delivered, in place of an endpoint."),
            optional("trigger", words("JobTrigger", TriggerKind.values()))
                    .says("Default: CRON with 'cron', INTERVAL with 'every', DELAYED with 'run_at' or 'delay', else"
                            + " IMMEDIATE."),
            optional("idempotency_key", text(255))
                    .says("The same request with the same key creates one job. Jobs that run once need one, here or"
                            + " as header."),
            optional("on_conflict", words("OnConflict", OnConflict.values()))
                    .or(OnConflict.RETURN)
                    .says("What happens when another job has the key: the same request gets that job, the new job takes"
                            + " its place unless it has begun, or the request is refused."),
            optional("max_wait", duration())
                    .says("With 'replace': how long jobs of this key may be put off in all; default without end.")
                    .example("PT1M"),
            optional("run_at", Plain.TIME).says("When it runs, at most 100 years ahead. Not together with 'delay'."),
            optional("delay", duration())
                    .says("How long it waits, at most 100 years. Not together with 'run_at'.")
                    .example("PT15M"),
            CRON.says("A cron expression of five fields."),
            TIMEZONE.says("The IANA time zone of the expression."),
            DST,
            EVERY.says("How long it is from tick to tick: at least a second."),
            optional("starts_at", Plain.TIME).says("No tick is before it, and intervals count from it; default now."),
            optional("ends_at", Plain.TIME).says("No tick is at it or later; default none."),
            optional("max_fires", new Whole(1, 1_000_000_000)).says("The job ends after so many ticks."),
            optional("catch_up", CATCH_UP).or("{}"),
            optional("overlap", words("OverlapPolicy", Overlap.values())).or(Overlap.ALLOW),
            optional("jitter", duration())
                    .says("Each execution begins up to this much after its tick.")
                    .example("PT30S"),
            optional("ttl", duration())
                    .says("No first attempt begins later than so long after the run time, or the tick; default that of"
                            + " the queue.")
                    .example("PT1H"),
            optional("expires_at", Plain.TIME).says("No first attempt begins at it or later. Not together with 'ttl'."),
            optional("deadline", Plain.TIME).says("No attempt begins at it or later, also no retry."),
            optional(DEPENDS_ON, Plain.ANY)
                    .says("The ids of jobs that must have ended before: an array, or an object that names them for"
                            + " templates. At most 100."),
            WorkflowFields.JOB.field("trigger_rule"),
            optional("when", Plain.ANY)
                    .says("A condition on the outputs of these jobs: it is skipped when it does not hold."),
            optional(REF, PARENT_NAME).says("In a batch: a name by which others of its jobs can depend on this one."),
            WorkflowFields.JOB.field("queue"),
            WorkflowFields.JOB.field("priority"),
            WorkflowFields.JOB.field("timeout_ms"),
            WorkflowFields.JOB.field("retry_on"),
            WorkflowFields.JOB.field("no_retry_on"),
            WorkflowFields.JOB.field("tags"),
            optional("input", Plain.ANY));

    /** As it is read: a field that does not go with the trigger is refused by its name. */
    public static final ObjectDefinition REPLACEMENT = NEW_JOB.without("idempotency_key", "on_conflict", "max_wait");

    /** A run of a workflow, or a schedule of runs: a graph, or the name of a definition, with the times of a job. */
    public static final ObjectDefinition NEW_WORKFLOW = NEW_JOB.named("NewWorkflow")
            .without(
                    "endpoint",
                    "on_conflict",
                    "max_wait",
                    TARGET,
                    "expires_at",
                    DEPENDS_ON,
                    "trigger_rule",
                    "when",
                    REF,
                    "timeout_ms",
                    "retry_on",
                    "no_retry_on")
            .with(
                    optional("definition", NAME).says("The name of a definition. This or 'jobs' is required."),
                    optional("name", WorkflowFields.JOB_NAME).says("With 'jobs': the name of the run in lists."),
                    WorkflowFields.JOBS.optional(),
                    WorkflowFields.FAILURE_POLICY.says("With 'jobs'."),
                    WorkflowFields.DEADLINE.says("With 'jobs': from the start of a run on."),
                    optional("on_success", NAME).says("With 'jobs': the endpoint that gets the outputs of its runs."),
                    optional("on_failure", NAME).says("With 'jobs': the endpoint that gets the errors of its runs."));

    private static final String STAYS = "May be repeated, but not changed.";
    private static final String OF_CRON = "Required for CRON.";

    /** The next version of a CRON or INTERVAL job; what is left out is not kept. */
    public static final ObjectDefinition JOB_UPDATE = REPLACEMENT
            .named("JobUpdate")
            .without("run_at", "delay", "expires_at", "deadline", DEPENDS_ON, "trigger_rule", "when", REF)
            .with(
                    optional("endpoint", NAME).says(STAYS),
                    optional(TARGET, EndpointFields.TARGET)
                            .says("Of a job with a target, at the same origin; default as before."),
                    optional("trigger", new Words(List.of("CRON", "INTERVAL"), null))
                            .says(STAYS),
                    CRON.says(OF_CRON),
                    TIMEZONE.says(OF_CRON),
                    EVERY.says("Required for INTERVAL."),
                    optional("starts_at", Plain.TIME)
                            .says("No tick is before it, and intervals count from it; default as before."));

    private static final String OF_ONE_SHOT = "Of a job that runs once.";

    /** A field that is null gets its default; what is left out stays. */
    public static final ObjectDefinition JOB_PATCH = JOB_UPDATE
            .named("JobPatch")
            .with(
                    optional("trigger", words("JobTrigger", TriggerKind.values()))
                            .says(STAYS),
                    optional(TARGET, EndpointFields.TARGET_PATCH)
                            .says("Of a job with a target, whose origin stays: its changes."),
                    NEW_JOB.field("cron"),
                    NEW_JOB.field("timezone"),
                    NEW_JOB.field("every"),
                    NEW_JOB.field("run_at").says(OF_ONE_SHOT),
                    NEW_JOB.field("delay").says(OF_ONE_SHOT),
                    NEW_JOB.field("expires_at"),
                    NEW_JOB.field("deadline"));

    private JobFields() {}
}
