package io.taskexec.cli.noun;

import static io.taskexec.cli.noun.Nouns.CONFIGS;
import static io.taskexec.cli.noun.Nouns.ENDPOINTS;
import static io.taskexec.cli.noun.Nouns.EXECUTIONS;
import static io.taskexec.cli.noun.Nouns.JOBS;
import static io.taskexec.cli.noun.Nouns.KEYS;
import static io.taskexec.cli.noun.Nouns.SECRETS;
import static io.taskexec.cli.noun.Nouns.SPECS;

import io.taskexec.cli.Commands;
import io.taskexec.cli.noun.ActionCommand.Input;
import io.taskexec.cli.noun.Filter.Kind;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Every noun with its verbs. */
public final class NounCommands {
    private static final List<Filter> FORCE =
            List.of(new Filter("force", Kind.FLAG, "Also when it runs: the outgoing call is aborted."));

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
        add(program, "jobs", JOBS, NounCommands::jobs);
        add(program, "executions", EXECUTIONS, NounCommands::executions);
        QueueCommands.addTo(program);
        var _ = program.with(
                "keys",
                () -> NounCommand.of("Creates, lists and revokes API keys of a running server."),
                NounCommands::keys);
    }

    private static void add(Commands program, String name, Noun noun, Supplier<Commands> verbs) {
        var _ = program.with(
                name,
                () -> NounCommand.of("Lists and shows " + noun.one() + "s, and what else can be done with them."),
                verbs);
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

    private static Commands named(Noun noun) {
        return read(noun).with("delete", () -> DeleteCommand.of(noun));
    }

    private static Commands endpoints() {
        return named(ENDPOINTS)
                .with("create", EndpointCreate::line)
                .with(
                        "breaker",
                        () -> GetCommand.below(ENDPOINTS, "breaker", "Shows whether deliveries are made or wait."))
                .with(
                        "enable",
                        () -> ActionCommand.of(
                                ENDPOINTS, "enable", Input.QUERY, List.of(), "Ends that an endpoint is disabled."))
                .with(
                        "events",
                        () -> ListCommand.below(
                                ENDPOINTS,
                                "events",
                                "event_id",
                                Nouns.ENDPOINT_EVENTS,
                                List.of(),
                                "Lists what happened to deliveries, newest first."));
    }

    private static Commands secrets() {
        return named(SECRETS).with("create", SecretWrite::create).with("set", SecretWrite::set);
    }

    private static Commands jobs() {
        return read(JOBS)
                .with("create", JobCreate::line)
                .withObject("update", JobUpdate::new)
                .with("status", () -> GetCommand.below(JOBS, "status", "Shows how a job is doing."))
                .with(
                        "cancel",
                        () -> ActionCommand.of(
                                JOBS,
                                "cancel",
                                Input.QUERY,
                                FORCE,
                                Answer.CANCELLED_JOB,
                                "Ends a schedule, or a one-shot job's execution."))
                .with(
                        "delete",
                        () -> ActionCommand.of(
                                JOBS,
                                "cancel",
                                Input.QUERY,
                                FORCE,
                                Answer.CANCELLED_JOB,
                                "The same as cancel: a job that has ended stays in history until that is removed."))
                .with(
                        "trigger",
                        () -> ActionCommand.of(
                                JOBS,
                                "trigger",
                                Input.QUERY,
                                List.of(),
                                Answer.TRIGGERED,
                                "Makes an execution now, beside the ticks."))
                .with(
                        "pause",
                        () -> ActionCommand.of(
                                JOBS,
                                "pause",
                                Input.BODY,
                                List.of(
                                        new Filter("until", Kind.TEXT, "When ticks fire again: a time with offset."),
                                        new Filter("reason", Kind.TEXT, "Why.")),
                                Answer.PAUSED,
                                "Lets no tick fire, until a time or for good."))
                .with(
                        "resume",
                        () -> ActionCommand.of(
                                JOBS,
                                "resume",
                                Input.QUERY,
                                List.of(),
                                Answer.RESUMED,
                                "Lets ticks from now on fire again."))
                .with(
                        "backfill",
                        () -> ActionCommand.of(
                                JOBS,
                                "backfill",
                                Input.BODY,
                                List.of(
                                        new Filter("from", Kind.PAST, "Ticks then or later."),
                                        new Filter("to", Kind.PAST, "Ticks before that.")),
                                "Makes executions of past ticks that have not fired."))
                .with(
                        "executions",
                        () -> ListCommand.below(
                                JOBS,
                                "executions",
                                EXECUTIONS.id(),
                                EXECUTIONS.fields(),
                                Nouns.OF_JOB_EXECUTIONS,
                                "Lists a job's executions, newest first."))
                .with(
                        "ticks",
                        () -> ListCommand.below(
                                JOBS,
                                "ticks",
                                "scheduled_at",
                                Nouns.TICKS,
                                Nouns.OF_TICKS,
                                "Lists what became of each tick, newest first."))
                .with(
                        "versions",
                        () -> ListCommand.below(
                                JOBS,
                                "versions",
                                JOBS.id(),
                                JOBS.fields(),
                                List.of(),
                                "Lists all versions of a job, newest first."));
    }

    private static Commands executions() {
        return read(EXECUTIONS)
                .with(
                        "attempts",
                        () -> ListCommand.below(
                                EXECUTIONS,
                                "attempts",
                                "attempt_number",
                                Nouns.ATTEMPTS,
                                List.of(),
                                "Lists all attempts, first to last."))
                .with(
                        "replay",
                        () -> ActionCommand.of(
                                EXECUTIONS,
                                "retry",
                                Input.QUERY,
                                List.of(),
                                Answer.TRIGGERED,
                                "Repeats an execution that has ended, with the newest version of everything."))
                .with(
                        "cancel",
                        () -> ActionCommand.of(
                                EXECUTIONS,
                                "cancel",
                                Input.QUERY,
                                FORCE,
                                Answer.CANCELLED_EXECUTION,
                                "Cancels an execution that waits, or with --force one that runs."));
    }
}
