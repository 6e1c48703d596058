package io.taskexec.cli.noun;

import static io.taskexec.cli.ResourceColumn.Format.ID;
import static io.taskexec.cli.ResourceColumn.Format.MILLIS;
import static io.taskexec.cli.ResourceColumn.Format.NEXT_TIME;
import static io.taskexec.cli.ResourceColumn.Format.NUMBER;
import static io.taskexec.cli.ResourceColumn.Format.STATUS;
import static io.taskexec.cli.ResourceColumn.Format.TEXT;
import static io.taskexec.cli.ResourceColumn.Format.TIME;

import io.taskexec.cli.ResourceColumn;
import io.taskexec.cli.option.QueryOption;
import io.taskexec.cli.option.QueryOption.Kind;
import io.taskexec.model.OperationSummary;
import java.util.List;

/** Defines the columns and filters of each kind of resource. */
final class Nouns {
    private static final QueryOption CREATED_FROM =
            new QueryOption("created_from", Kind.PAST, "Created at this time or later; also an age such as 2h.");
    private static final QueryOption CREATED_BEFORE =
            new QueryOption("created_before", Kind.PAST, "Created before this time; also an age such as 2h.");
    private static final QueryOption ENDPOINT = new QueryOption("endpoint", Kind.NAME, "Name of the endpoint.");
    private static final QueryOption QUEUE = new QueryOption("queue", Kind.NAME, "Name of the queue.");
    private static final QueryOption TAG = new QueryOption("tag", Kind.TEXT, "Tag of the job.");

    static final QueryOption TICKS_FROM = new QueryOption("from", Kind.PAST, "Ticks at this time or later.");
    static final QueryOption TICKS_TO = new QueryOption("to", Kind.PAST, "Ticks before this time.");
    private static final ResourceColumn NAME = ResourceColumn.of("NAME", ID, "/name");
    private static final ResourceColumn STATUS_COLUMN = ResourceColumn.of("STATUS", STATUS, "/status");
    private static final ResourceColumn VERSION = ResourceColumn.of("VERSION", NUMBER, "/version");
    private static final ResourceColumn UPDATED = ResourceColumn.of("UPDATED", TIME, "/updated_at");

    static final Noun ENDPOINTS = new Noun(
            "endpoint",
            "endpoints",
            "/endpoints",
            "name",
            List.of(
                    NAME,
                    ResourceColumn.of("TYPE", TEXT, "/type"),
                    ResourceColumn.of("TARGET", TEXT, "/spec/url", "/spec/topic", "/spec/stream"),
                    ResourceColumn.of("QUEUE", TEXT, "/queue"),
                    ResourceColumn.of("ATTEMPTS", NUMBER, "/retry_policy/max_attempts"),
                    VERSION,
                    UPDATED),
            List.of());

    static final Noun CONFIGS = new Noun(
            "config",
            "configs",
            "/configs",
            "name",
            List.of(NAME, ResourceColumn.of("VALUES", TEXT, "/values"), VERSION, UPDATED),
            List.of());

    static final Noun SECRETS = new Noun(
            "secret",
            "secrets",
            "/secrets",
            "name",
            List.of(NAME, VERSION, ResourceColumn.of("CREATED", TIME, "/created_at"), UPDATED),
            List.of());

    static final Noun SPECS = new Noun(
            "payload spec",
            "specs",
            "/payload-specs",
            "name",
            List.of(NAME, ResourceColumn.of("TITLE", TEXT, "/schema/title"), VERSION, UPDATED),
            List.of());

    static final Noun KEYS = new Noun(
            "key",
            "keys",
            "/keys",
            "key_id",
            List.of(
                    ResourceColumn.of("ID", ID, "/key_id"),
                    ResourceColumn.of("NAME", TEXT, "/name"),
                    ResourceColumn.of("SCOPES", TEXT, "/scopes"),
                    ResourceColumn.of("CREATED", TIME, "/created_at"),
                    ResourceColumn.of("LAST USED", TIME, "/last_used_at"),
                    ResourceColumn.of("EXPIRES", TIME, "/expires_at"),
                    ResourceColumn.of("REVOKED", TIME, "/revoked_at")),
            List.of());

    static final Noun JOBS = new Noun(
            "job",
            "jobs",
            "/jobs",
            "job_id",
            List.of(
                    ResourceColumn.of("JOB ID", ID, "/job_id"),
                    ResourceColumn.of("ENDPOINT", TEXT, "/endpoint", "/target/url"),
                    ResourceColumn.of("TRIGGER", TEXT, "/trigger"),
                    STATUS_COLUMN,
                    ResourceColumn.of("SCHEDULE", TEXT, "/cron", "/every"),
                    ResourceColumn.of("RUNS", NEXT_TIME, "/next_run_at", "/run_at"),
                    ResourceColumn.of("EXECUTION", STATUS, "/execution/status"),
                    ResourceColumn.of("CREATED", TIME, "/created_at"),
                    ResourceColumn.of("QUEUE", TEXT, "/queue"),
                    ResourceColumn.of("TAGS", TEXT, "/tags")),
            List.of(
                    ENDPOINT,
                    QUEUE,
                    TAG,
                    new QueryOption("trigger", Kind.CHOICE, "IMMEDIATE, DELAYED, CRON or INTERVAL."),
                    new QueryOption("status", Kind.CHOICE, "ACTIVE or RETIRED."),
                    CREATED_FROM,
                    CREATED_BEFORE));

    private static final QueryOption EXECUTION_STATUS = new QueryOption(
            "status",
            Kind.CHOICE,
            "WAITING, PENDING, QUEUED, RUNNING, DEFERRED, RETRYING, SUCCESS, FAILED, CANCELLED, EXPIRED, SKIPPED"
                    + " or SUPERSEDED.");

    static final Noun EXECUTIONS = new Noun(
            "execution",
            "executions",
            "/executions",
            "execution_id",
            List.of(
                    ResourceColumn.of("EXECUTION ID", ID, "/execution_id"),
                    ResourceColumn.of("ENDPOINT", TEXT, "/endpoint"),
                    STATUS_COLUMN,
                    ResourceColumn.of("ATTEMPTS", NUMBER, "/attempt_count"),
                    ResourceColumn.of("RUN AT", TIME, "/next_attempt_at", "/run_at"),
                    ResourceColumn.of("TOOK", MILLIS, "/duration_ms"),
                    ResourceColumn.of("ERROR", TEXT, "/error/type"),
                    ResourceColumn.of("MESSAGE", TEXT, "/error/message")),
            List.of(
                    EXECUTION_STATUS,
                    ENDPOINT,
                    QUEUE,
                    TAG,
                    new QueryOption("error_type", Kind.CHOICE, "Type of the error, such as TIMEOUT."),
                    new QueryOption("retried", Kind.TEXT, "Whether it was replayed: true or false."),
                    CREATED_FROM,
                    CREATED_BEFORE));

    static final Noun.Sublist ENDPOINT_EVENTS = new Noun.Sublist(
            "events",
            "event_id",
            List.of(
                    ResourceColumn.of("AT", TIME, "/at"),
                    ResourceColumn.of("KIND", STATUS, "/kind"),
                    ResourceColumn.of("MESSAGE", TEXT, "/message")),
            List.of(),
            OperationSummary.LIST_ENDPOINT_EVENTS);

    static final Noun.Sublist JOB_EXECUTIONS = new Noun.Sublist(
            "executions",
            EXECUTIONS.id(),
            EXECUTIONS.columns(),
            List.of(
                    EXECUTION_STATUS,
                    new QueryOption("run_from", Kind.PAST, "Planned at this time or later."),
                    new QueryOption("run_before", Kind.PAST, "Planned before this time.")),
            OperationSummary.LIST_JOB_EXECUTIONS);

    static final Noun.Sublist JOB_TICKS = new Noun.Sublist(
            "ticks",
            "scheduled_at",
            List.of(
                    ResourceColumn.of("TICK", ID, "/scheduled_at"),
                    ResourceColumn.of("OUTCOME", STATUS, "/outcome"),
                    ResourceColumn.of("LATENESS", MILLIS, "/lateness_ms"),
                    ResourceColumn.of("EXECUTION ID", ID, "/execution_id")),
            List.of(new QueryOption("outcome", Kind.CHOICE, "Outcome, such as FIRED or MISSED."), TICKS_FROM, TICKS_TO),
            OperationSummary.LIST_TICKS);

    static final Noun.Sublist JOB_VERSIONS =
            new Noun.Sublist("versions", JOBS.id(), JOBS.columns(), List.of(), OperationSummary.LIST_JOB_VERSIONS);

    static final Noun.Sublist EXECUTION_ATTEMPTS = new Noun.Sublist(
            "attempts",
            "attempt_number",
            List.of(
                    ResourceColumn.of("ATTEMPT", NUMBER, "/attempt_number"),
                    STATUS_COLUMN,
                    ResourceColumn.of("STARTED", TIME, "/started_at"),
                    ResourceColumn.of("TOOK", MILLIS, "/duration_ms"),
                    ResourceColumn.of("ANSWER", NUMBER, "/output/status_code", "/error/status_code"),
                    ResourceColumn.of("ERROR", TEXT, "/error/type"),
                    ResourceColumn.of("MESSAGE", TEXT, "/error/message"),
                    ResourceColumn.of("WORKER", TEXT, "/worker_id")),
            List.of(),
            OperationSummary.LIST_ATTEMPTS);

    private Nouns() {}
}
