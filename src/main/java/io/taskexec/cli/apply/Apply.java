package io.taskexec.cli.apply;

import io.taskexec.cli.ColorOption;
import io.taskexec.cli.apply.Declared.Identity;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
import io.taskexec.cli.text.Ink;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.Progress;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes what the server has like what files say. */
@Command(
        name = "apply",
        description = "Creates and changes payload specs, secrets, configs, endpoints and schedules as files say.",
        mixinStandardHelpOptions = true)
public final class Apply implements Callable<Integer> {
    @Option(
            names = {"-f", "--file"},
            required = true,
            paramLabel = "FILE|DIR",
            description = "YAML or JSON, any number of documents in a file; of a folder, all such files; - is the"
                    + " standard input. May be repeated.")
    private List<String> files = List.of();

    @Option(names = "--dry-run", description = "Show what would change, have the server check it, and change nothing.")
    private boolean dryRun;

    @Option(names = "--exit-code", description = "With --dry-run: end with 3 when something would change.")
    private boolean exitCode;

    @Option(names = "--set", paramLabel = "NAME", description = "Remember what is applied, as a set with this name.")
    private @Nullable String set;

    @Option(names = "--prune", description = "With --set: remove what the set had, and no file has any more.")
    private boolean prune;

    @Option(names = "--replace-secrets", description = "Write secrets that are there already, too.")
    private boolean replaceSecrets;

    @Mixin
    private ColorOption color = new ColorOption();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        check(prune && set == null, "--prune needs --set: only what was applied with a set can be told from the rest.");
        check(exitCode && !dryRun, "--exit-code is for --dry-run.");
        check(set != null && !Inventory.isSet(set), "--set must be 1 to 40 of a-z, 0-9 and -, not at the ends.");
        var manifests = new Manifests(System.getenv());
        files.forEach(manifests::read);
        if (!manifests.problems().isEmpty()) {
            return explain(manifests.problems(), ExitCode.USAGE);
        }
        if (manifests.declared().isEmpty()) {
            // More likely a mistake than the wish to prune everything.
            return explain(List.of("There is nothing in " + String.join(", ", files) + "."), ExitCode.USAGE);
        }
        var wanted = DependencyOrder.of(manifests.declared());
        return server.call(spec, client -> run(client, wanted));
    }

    private void check(boolean wrong, String sentence) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }

    private int run(ServerClient client, List<Declared> wanted)
            throws RefusedException, IOException, InterruptedException {
        var inventory = set == null ? null : Inventory.read(client, set);
        var names = new LinkedHashSet<Identity>();
        wanted.forEach(one -> names.add(one.identity()));
        var everything = new LinkedHashSet<>(names);
        if (inventory != null) {
            everything.addAll(inventory.kept());
        }
        var unwanted = new LinkedHashSet<>(everything);
        unwanted.removeAll(names);
        Plan plan;
        try (var progress = progress("comparing", wanted.size())) {
            plan = new Planner(client, replaceSecrets).plan(wanted, prune ? unwanted : Set.of(), progress);
        }
        show(plan);
        if (!plan.impossible().isEmpty()) {
            return explain(plan.impossible(), ExitCode.REFUSED);
        }
        if (dryRun) {
            return rehearse(client, plan);
        }
        if (inventory != null) {
            // Before anything is made, so that nothing is forgotten when this ends halfway.
            inventory.write(client, everything);
        }
        execute(client, plan);
        print(plan.summary());
        if (inventory != null && prune) {
            writeNames(client, inventory, names);
        }
        return ExitCode.DONE;
    }

    /** What was pruned is no longer in the set. */
    private void writeNames(ServerClient client, Inventory inventory, Set<Identity> names)
            throws RefusedException, IOException, InterruptedException {
        try {
            inventory.write(client, names);
        } catch (RefusedException | IOException e) {
            print("Only writing the list of the set '" + set + "' has failed. The same command writes it again.");
            throw e;
        }
    }

    /** Asks the server about each step, so that what it would refuse is known before anything is changed. */
    private int rehearse(ServerClient client, Plan plan) throws RefusedException, IOException, InterruptedException {
        var rehearsal = new Rehearsal(client, plan);
        if (!rehearsal.isKnown()) {
            return explain(
                    List.of("The server is older than dry runs and would do what it is asked to check; upgrade it."),
                    ExitCode.REFUSED);
        }
        var refused = new ArrayList<String>();
        try (var progress = progress("checking", plan.steps().size())) {
            for (var i = 0; i < plan.steps().size(); i++) {
                var step = plan.steps().get(i);
                progress.reach(i, step.identity().toString());
                switch (rehearsal.of(step)) {
                    case Rehearsal.Verdict.Possible _ -> {}
                    case Rehearsal.Verdict.Open(var needed) -> {
                        progress.clear();
                        print(step.identity() + " cannot be checked to the end: it depends on " + needed
                                + " of this run.");
                    }
                    case Rehearsal.Verdict.Refused(var reason) ->
                        refused.add(step.identity() + " would be refused: " + reason);
                }
            }
        }
        if (!refused.isEmpty()) {
            return explain(refused, ExitCode.REFUSED);
        }
        print("Nothing is changed; it would be: " + plan.summary());
        return exitCode && plan.changesSomething() ? ExitCode.CHANGES : ExitCode.DONE;
    }

    private void execute(ServerClient client, Plan plan) throws RefusedException, IOException, InterruptedException {
        var steps = plan.steps();
        var done = 0;
        try (var progress = progress("applying", steps.size())) {
            for (var step : steps) {
                progress.reach(done, step.identity().toString());
                step.perform(client, "");
                progress.clear();
                print(step.result());
                done++;
            }
        } catch (RefusedException e) {
            stopped(steps, done, e.mayBeDone() ? "unknown" : "failed");
            throw e;
        } catch (IOException e) {
            // The request may have arrived, and only its answer be lost.
            stopped(steps, done, "unknown");
            throw e;
        }
    }

    /** Says what has become of each resource that is not done. */
    private void stopped(List<Step> steps, int done, String outcome) {
        print(steps.get(done).identity() + ": " + outcome + ".");
        var settled = new ArrayList<>(steps.subList(0, done));
        var untried = 0;
        for (var step : steps.subList(done + 1, steps.size())) {
            if (step.action() == Step.Action.KEEP) {
                settled.add(step);
                print(step.result());
            } else {
                untried++;
                print(step.identity() + ": not tried.");
            }
        }
        var counts = new ArrayList<String>();
        if (!settled.isEmpty()) {
            counts.add(new Plan(settled, List.of()).counts());
        }
        counts.add("1 " + outcome);
        if (untried > 0) {
            counts.add(untried + " not tried");
        }
        print("Stopped: " + String.join(", ", counts) + ". The same command goes on from here.");
    }

    private void show(Plan plan) {
        var ink = color.ink(Terminal.ofOutput());
        for (var step : plan.steps()) {
            if (step.action() != Step.Action.KEEP) {
                print(ink.paint(Ink.Color.BOLD, PlainLine.of(step.title())));
                step.difference()
                        .forEach(line -> print(
                                ink.paint(line.startsWith("-") ? Ink.Color.RED : Ink.Color.GREEN, PlainLine.of(line))));
            }
        }
    }

    private Progress progress(String what, int total) {
        return new Progress(spec.commandLine().getErr(), Terminal.isErrorShown(), what, total);
    }

    private void print(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    private int explain(List<String> sentences, int code) {
        sentences.forEach(spec.commandLine().getErr()::println);
        spec.commandLine().getErr().println("Nothing has been changed.");
        spec.commandLine().getErr().flush();
        return code;
    }
}
