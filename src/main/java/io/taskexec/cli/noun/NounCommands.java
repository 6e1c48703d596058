package io.taskexec.cli.noun;

import static io.taskexec.cli.noun.Nouns.CONFIGS;
import static io.taskexec.cli.noun.Nouns.ENDPOINTS;
import static io.taskexec.cli.noun.Nouns.EXECUTIONS;
import static io.taskexec.cli.noun.Nouns.JOBS;
import static io.taskexec.cli.noun.Nouns.KEYS;
import static io.taskexec.cli.noun.Nouns.SECRETS;
import static io.taskexec.cli.noun.Nouns.SPECS;

import io.taskexec.cli.noun.ActionCommand.Input;
import io.taskexec.cli.noun.Filter.Kind;
import java.util.List;
import picocli.CommandLine;

/** Every noun with its verbs. */
public final class NounCommands {
    private static final List<Filter> FORCE =
            List.of(new Filter("force", Kind.FLAG, "Also when it runs: the outgoing call is aborted."));

    private NounCommands() {}

    /** Adds them to the program's commands. */
    public static void addTo(CommandLine program) {
        program.addSubcommand("endpoints", endpoints())
                .addSubcommand("configs", named(CONFIGS).addSubcommand("create", CreateCommand.of(CONFIGS)))
                .addSubcommand("secrets", secrets())
                .addSubcommand("specs", named(SPECS).addSubcommand("create", CreateCommand.of(SPECS)))
                .addSubcommand("jobs", jobs())
                .addSubcommand("executions", executions())
                .addSubcommand("queues", QueueCommands.line())
                .addSubcommand("keys", keys());
    }

    private static CommandLine keys() {
        return NounCommand.of("Creates, lists and revokes API keys of a running server.")
                .addSubcommand("create", new CommandLine(new KeyCreate()))
                .addSubcommand("list", ListCommand.of(KEYS))
                .addSubcommand("revoke", new CommandLine(new KeyRevoke()));
    }

    private static CommandLine read(Noun noun) {
        return NounCommand.of("Lists and shows " + noun.one() + "s, and what else can be done with them.")
                .addSubcommand("list", ListCommand.of(noun))
                .addSubcommand("get", GetCommand.of(noun));
    }

    private static CommandLine named(Noun noun) {
        return read(noun).addSubcommand("delete", DeleteCommand.of(noun));
    }

    private static CommandLine endpoints() {
        return named(ENDPOINTS)
                .addSubcommand("create", EndpointCreate.line())
                .addSubcommand(
                        "breaker", GetCommand.below(ENDPOINTS, "breaker", "Shows whether deliveries are made or wait."))
                .addSubcommand(
                        "enable",
                        ActionCommand.of(
                                ENDPOINTS, "enable", Input.QUERY, List.of(), "Ends that an endpoint is disabled."))
                .addSubcommand(
                        "events",
                        ListCommand.below(
                                ENDPOINTS,
                                "events",
                                "event_id",
                                Nouns.ENDPOINT_EVENTS,
                                List.of(),
                                "Lists what happened to deliveries, newest first."));
    }

    private static CommandLine secrets() {
        return named(SECRETS).addSubcommand("create", SecretWrite.create()).addSubcommand("set", SecretWrite.set());
    }

    private static CommandLine jobs() {
        return read(JOBS)
                .addSubcommand("create", JobCreate.line())
                .addSubcommand("update", new CommandLine(new JobUpdate()))
                .addSubcommand("status", GetCommand.below(JOBS, "status", "Shows how a job is doing."))
                .addSubcommand(
                        "cancel",
                        ActionCommand.of(
                                JOBS, "cancel", Input.QUERY, FORCE, "Ends a schedule, or a one-shot job's execution."))
                .addSubcommand(
                        "delete",
                        ActionCommand.of(
                                JOBS,
                                "cancel",
                                Input.QUERY,
                                FORCE,
                                "The same as cancel: a job that has ended stays in history until that is removed."))
                .addSubcommand(
                        "trigger",
                        ActionCommand.of(
                                JOBS, "trigger", Input.QUERY, List.of(), "Makes an execution now, beside the ticks."))
                .addSubcommand(
                        "pause",
                        ActionCommand.of(
                                JOBS,
                                "pause",
                                Input.BODY,
                                List.of(
                                        new Filter("until", Kind.TEXT, "When ticks fire again: a time with offset."),
                                        new Filter("reason", Kind.TEXT, "Why.")),
                                "Lets no tick fire, until a time or for good."))
                .addSubcommand(
                        "resume",
                        ActionCommand.of(JOBS, "resume", Input.QUERY, List.of(), "Lets ticks from now on fire again."))
                .addSubcommand(
                        "backfill",
                        ActionCommand.of(
                                JOBS,
                                "backfill",
                                Input.BODY,
                                List.of(
                                        new Filter("from", Kind.PAST, "Ticks then or later."),
                                        new Filter("to", Kind.PAST, "Ticks before that.")),
                                "Makes executions of past ticks that have not fired."))
                .addSubcommand(
                        "executions",
                        ListCommand.below(
                                JOBS,
                                "executions",
                                EXECUTIONS.id(),
                                EXECUTIONS.fields(),
                                Nouns.OF_JOB_EXECUTIONS,
                                "Lists a job's executions, newest first."))
                .addSubcommand(
                        "ticks",
                        ListCommand.below(
                                JOBS,
                                "ticks",
                                "scheduled_at",
                                Nouns.TICKS,
                                Nouns.OF_TICKS,
                                "Lists what became of each tick, newest first."))
                .addSubcommand(
                        "versions",
                        ListCommand.below(
                                JOBS,
                                "versions",
                                JOBS.id(),
                                JOBS.fields(),
                                List.of(),
                                "Lists all versions of a job, newest first."));
    }

    private static CommandLine executions() {
        return read(EXECUTIONS)
                .addSubcommand(
                        "attempts",
                        ListCommand.below(
                                EXECUTIONS,
                                "attempts",
                                "attempt_number",
                                Nouns.ATTEMPTS,
                                List.of(),
                                "Lists all attempts, first to last."))
                .addSubcommand(
                        "replay",
                        ActionCommand.of(
                                EXECUTIONS,
                                "retry",
                                Input.QUERY,
                                List.of(),
                                "Repeats an execution that has ended, with the newest version of everything."))
                .addSubcommand(
                        "cancel",
                        ActionCommand.of(
                                EXECUTIONS,
                                "cancel",
                                Input.QUERY,
                                FORCE,
                                "Cancels an execution that waits, or with --force one that runs."));
    }
}
