package io.taskexec.cli.noun;

import static io.taskexec.cli.Field.Show.ID;
import static io.taskexec.cli.Field.Show.MILLIS;
import static io.taskexec.cli.Field.Show.NEXT_TIME;
import static io.taskexec.cli.Field.Show.NUMBER;
import static io.taskexec.cli.Field.Show.STATUS;
import static io.taskexec.cli.Field.Show.TEXT;
import static io.taskexec.cli.Field.Show.TIME;

import io.taskexec.cli.Field;
import io.taskexec.cli.noun.Filter.Kind;
import java.util.List;

/** Everything that there is of each noun: its columns and what narrows a list down. */
final class Nouns {
    private static final Filter CREATED_FROM =
            new Filter("created_from", Kind.PAST, "Created then or later; or how long ago, such as 2h.");
    private static final Filter CREATED_BEFORE =
            new Filter("created_before", Kind.PAST, "Created before that; or how long ago, such as 2h.");
    private static final Filter ENDPOINT = new Filter("endpoint", Kind.TEXT, "Of this endpoint.");
    private static final Filter QUEUE = new Filter("queue", Kind.TEXT, "Of this queue.");
    private static final Filter TAG = new Filter("tag", Kind.TEXT, "With this tag.");

    private static final Field NAME = Field.of("NAME", ID, "/name");
    private static final Field STATUS_FIELD = Field.of("STATUS", STATUS, "/status");
    private static final Field VERSION = Field.of("VERSION", NUMBER, "/version");
    private static final Field UPDATED = Field.of("UPDATED", TIME, "/updated_at");

    static final Noun ENDPOINTS = new Noun(
            "endpoint",
            "endpoints",
            "/endpoints",
            "name",
            List.of(
                    NAME,
                    Field.of("TYPE", TEXT, "/type"),
                    Field.of("TARGET", TEXT, "/spec/url", "/spec/topic", "/spec/stream"),
                    Field.of("QUEUE", TEXT, "/queue"),
                    Field.of("ATTEMPTS", NUMBER, "/retry_policy/max_attempts"),
                    VERSION,
                    UPDATED),
            List.of());

    static final Noun CONFIGS = new Noun(
            "config",
            "configs",
            "/configs",
            "name",
            List.of(NAME, Field.of("VALUES", TEXT, "/values"), VERSION, UPDATED),
            List.of());

    static final Noun SECRETS = new Noun(
            "secret",
            "secrets",
            "/secrets",
            "name",
            List.of(NAME, VERSION, Field.of("CREATED", TIME, "/created_at"), UPDATED),
            List.of());

    static final Noun SPECS = new Noun(
            "payload spec",
            "specs",
            "/payload-specs",
            "name",
            List.of(NAME, Field.of("TITLE", TEXT, "/schema/title"), VERSION, UPDATED),
            List.of());

    static final Noun KEYS = new Noun(
            "key",
            "keys",
            "/keys",
            "key_id",
            List.of(
                    Field.of("ID", ID, "/key_id"),
                    Field.of("NAME", TEXT, "/name"),
                    Field.of("SCOPES", TEXT, "/scopes"),
                    Field.of("CREATED", TIME, "/created_at"),
                    Field.of("LAST USED", TIME, "/last_used_at"),
                    Field.of("EXPIRES", TIME, "/expires_at"),
                    Field.of("REVOKED", TIME, "/revoked_at")),
            List.of());

    static final Noun JOBS = new Noun(
            "job",
            "jobs",
            "/jobs",
            "job_id",
            List.of(
                    Field.of("JOB ID", ID, "/job_id"),
                    Field.of("ENDPOINT", TEXT, "/endpoint"),
                    Field.of("TRIGGER", TEXT, "/trigger"),
                    STATUS_FIELD,
                    Field.of("SCHEDULE", TEXT, "/cron", "/every"),
                    Field.of("RUNS", NEXT_TIME, "/next_run_at", "/run_at"),
                    Field.of("EXECUTION", STATUS, "/execution/status"),
                    Field.of("CREATED", TIME, "/created_at"),
                    Field.of("QUEUE", TEXT, "/queue"),
                    Field.of("TAGS", TEXT, "/tags")),
            List.of(
                    ENDPOINT,
                    QUEUE,
                    TAG,
                    new Filter("trigger", Kind.CHOICE, "IMMEDIATE, DELAYED, CRON or INTERVAL."),
                    new Filter("status", Kind.CHOICE, "ACTIVE or RETIRED."),
                    CREATED_FROM,
                    CREATED_BEFORE));

    private static final Filter EXECUTION_STATUS =
            new Filter("status", Kind.CHOICE, "PENDING, QUEUED, RUNNING, RETRYING, SUCCESS, FAILED or CANCELLED.");

    static final Noun EXECUTIONS = new Noun(
            "execution",
            "executions",
            "/executions",
            "execution_id",
            List.of(
                    Field.of("EXECUTION ID", ID, "/execution_id"),
                    Field.of("ENDPOINT", TEXT, "/endpoint"),
                    STATUS_FIELD,
                    Field.of("ATTEMPTS", NUMBER, "/attempt_count"),
                    Field.of("RUN AT", TIME, "/next_attempt_at", "/run_at"),
                    Field.of("TOOK", MILLIS, "/duration_ms"),
                    Field.of("ERROR", TEXT, "/error/type"),
                    Field.of("MESSAGE", TEXT, "/error/message")),
            List.of(
                    EXECUTION_STATUS,
                    ENDPOINT,
                    QUEUE,
                    TAG,
                    new Filter("error_type", Kind.CHOICE, "What has failed with this, such as TIMEOUT."),
                    new Filter("retried", Kind.TEXT, "true or false: whether it has been repeated."),
                    CREATED_FROM,
                    CREATED_BEFORE));

    static final List<Field> ATTEMPTS = List.of(
            Field.of("ATTEMPT", NUMBER, "/attempt_number"),
            STATUS_FIELD,
            Field.of("STARTED", TIME, "/started_at"),
            Field.of("TOOK", MILLIS, "/duration_ms"),
            Field.of("ANSWER", NUMBER, "/output/status_code", "/error/status_code"),
            Field.of("ERROR", TEXT, "/error/type"),
            Field.of("MESSAGE", TEXT, "/error/message"),
            Field.of("WORKER", TEXT, "/worker_id"));

    static final List<Field> TICKS = List.of(
            Field.of("TICK", ID, "/scheduled_at"),
            Field.of("OUTCOME", STATUS, "/outcome"),
            Field.of("LATENESS", MILLIS, "/lateness_ms"),
            Field.of("EXECUTION ID", ID, "/execution_id"));

    static final List<Filter> OF_JOB_EXECUTIONS = List.of(
            EXECUTION_STATUS,
            new Filter("run_from", Kind.PAST, "Meant to begin then or later."),
            new Filter("run_before", Kind.PAST, "Meant to begin before that."));

    static final List<Filter> OF_TICKS = List.of(
            new Filter("outcome", Kind.CHOICE, "Such as FIRED or MISSED."),
            new Filter("from", Kind.PAST, "Ticks then or later."),
            new Filter("to", Kind.PAST, "Ticks before that."));

    static final List<Field> ENDPOINT_EVENTS = List.of(
            Field.of("AT", TIME, "/at"), Field.of("KIND", STATUS, "/kind"), Field.of("MESSAGE", TEXT, "/message"));

    private Nouns() {}
}
