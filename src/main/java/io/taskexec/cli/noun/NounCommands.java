package io.taskexec.cli.noun;

import static io.taskexec.cli.noun.Nouns.CONFIGS;
import static io.taskexec.cli.noun.Nouns.ENDPOINTS;
import static io.taskexec.cli.noun.Nouns.EXECUTIONS;
import static io.taskexec.cli.noun.Nouns.JOBS;
import static io.taskexec.cli.noun.Nouns.KEYS;
import static io.taskexec.cli.noun.Nouns.SECRETS;
import static io.taskexec.cli.noun.Nouns.SPECS;

import io.taskexec.cli.Commands;
import io.taskexec.cli.explanation.ExplanationText;
import io.taskexec.cli.noun.ActionCommand.Input;
import io.taskexec.cli.option.QueryOption;
import io.taskexec.cli.option.QueryOption.Kind;
import io.taskexec.model.OperationSummary;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Defines the commands for each kind of resource. */
public final class NounCommands {
    private static final QueryOption FORCE =
            new QueryOption("force", Kind.FLAG, "Also cancel what runs, aborting its call, or was decided about.");

    private NounCommands() {}

    /**
     * Adds them to the program's commands.
     *
     * @param database adds the verbs of secrets that work on the database and not on a server
     */
    public static void addTo(Commands program, UnaryOperator<Commands> database) {
        add(program, "endpoints", ENDPOINTS, NounCommands::endpoints);
        add(program, "configs", CONFIGS, () -> named(CONFIGS).with("create", () -> CreateCommand.of(CONFIGS)));
        add(program, "secrets", SECRETS, () -> database.apply(secrets()));
        add(program, "specs", SPECS, () -> named(SPECS).with("create", () -> CreateCommand.of(SPECS)));
        add(program, "jobs", JOBS, () -> jobActions(jobLists(jobs())));
        add(program, "executions", EXECUTIONS, NounCommands::executions);
        WorkflowCommands.addTo(program);
        QueueCommands.addTo(program);
        PressureCommands.addTo(program);
        CompletionCommands.Approvals.addTo(program);
        var _ = program.with(
                "keys",
                () -> NounCommand.of("Create, list and revoke API keys of a running server."),
                NounCommands::keys);
    }

    private static void add(Commands program, String name, Noun noun, Supplier<Commands> verbs) {
        var _ = program.with(name, () -> NounCommand.of("List, show and change " + noun.one() + "s."), verbs);
    }

    private static Commands keys() {
        return new Commands()
                .withObject("create", KeyCreate::new)
                .with("list", () -> ListCommand.of(KEYS))
                .withObject("revoke", KeyRevoke::new);
    }

    private static Commands read(Noun noun) {
        return new Commands().with("list", () -> ListCommand.of(noun)).with("get", () -> GetCommand.of(noun));
    }

    private static Commands jobs() {
        return new Commands().with("list", () -> ListCommand.of(JOBS)).with("get", GetCommand::ofJob);
    }

    private static Commands named(Noun noun) {
        return read(noun).with("delete", () -> DeleteCommand.of(noun));
    }

    private static Commands endpoints() {
        return named(ENDPOINTS)
                .withObject("create", EndpointCreate::new)
                .with("breaker", () -> GetCommand.below(ENDPOINTS, "breaker", OperationSummary.GET_BREAKER))
                .with("enable", post(ENDPOINTS, "enable", null, OperationSummary.ENABLE_ENDPOINT))
                .with("events", () -> ListCommand.below(ENDPOINTS, Nouns.ENDPOINT_EVENTS));
    }

    private static Commands secrets() {
        return named(SECRETS).with("create", SecretWrite::create).with("set", SecretWrite::set);
    }

    private static Commands jobLists(Commands jobs) {
        return jobs.withObject("create", JobCreate::new)
                .with("update", JobUpdate::command)
                .with("status", () -> GetCommand.below(JOBS, "status", OperationSummary.GET_JOB_STATUS))
                .with("executions", () -> ListCommand.below(JOBS, Nouns.JOB_EXECUTIONS))
                .with("ticks", () -> ListCommand.below(JOBS, Nouns.JOB_TICKS))
                .with("versions", () -> ListCommand.below(JOBS, Nouns.JOB_VERSIONS));
    }

    private static Commands jobActions(Commands jobs) {
        var cancel = OperationSummary.CANCEL_JOB + " By its key, the key is free then.";
        return jobs.with("cancel", () -> ActionCommand.cancelJob(FORCE, cancel))
                .with("delete", () -> ActionCommand.cancelJob(FORCE, cancel + " Retention removes its history."))
                .with("trigger", post(JOBS, "trigger", ActionSummary.TRIGGERED, OperationSummary.TRIGGER_JOB))
                .with(
                        "pause",
                        postBody(
                                "pause",
                                ActionSummary.PAUSED,
                                OperationSummary.PAUSE_JOB,
                                new QueryOption("until", Kind.TEXT, "Time of the end, with offset."),
                                new QueryOption("reason", Kind.TEXT, "Reason, for display.")))
                .with("resume", post(JOBS, "resume", ActionSummary.RESUMED, OperationSummary.RESUME_JOB))
                .with(
                        "backfill",
                        postBody("backfill", null, OperationSummary.BACKFILL_JOB, Nouns.TICKS_FROM, Nouns.TICKS_TO));
    }

    private static Commands executions() {
        return CompletionCommands.addTo(read(EXECUTIONS))
                .with("attempts", () -> ListCommand.below(EXECUTIONS, Nouns.EXECUTION_ATTEMPTS))
                .with(
                        "explain",
                        () -> GetCommand.below(
                                EXECUTIONS, "explain", OperationSummary.EXPLAIN_EXECUTION, ExplanationText::lines))
                .with(
                        "replay",
                        post(
                                EXECUTIONS,
                                "retry",
                                ActionSummary.TRIGGERED,
                                OperationSummary.RETRY_EXECUTION + " It takes the newest version of everything."))
                .with(
                        "cancel",
                        post(
                                EXECUTIONS,
                                "cancel",
                                ActionSummary.CANCELLED_EXECUTION,
                                OperationSummary.CANCEL_EXECUTION,
                                FORCE));
    }

    private static Supplier<CommandLine> post(
            Noun noun, String route, @Nullable ActionSummary summary, String description, QueryOption... options) {
        return () -> ActionCommand.of(noun, route, Input.QUERY, List.of(options), summary, description);
    }

    private static Supplier<CommandLine> postBody(
            String route, @Nullable ActionSummary summary, String description, QueryOption... options) {
        return () -> ActionCommand.of(JOBS, route, Input.BODY, List.of(options), summary, description);
    }
}
