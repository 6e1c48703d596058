package io.taskexec.cli.apply;

import io.taskexec.cli.ColorOption;
import io.taskexec.cli.apply.DesiredResource.ResourceId;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.text.PlainLine;
import io.taskexec.cli.text.ProgressBar;
import io.taskexec.cli.text.Terminal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates and changes resources on a server to match files. */
@Command(
        name = "apply",
        description = "Apply files: create and change payload specs, secrets, configs, queues, endpoints, workflow"
                + " definitions and schedules.")
public final class Apply extends ServerCommand {
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

    @Option(names = "--set", paramLabel = "NAME", description = "Store the applied resources as a set with this name.")
    private @Nullable String set;

    @Option(names = "--prune", description = "With --set: remove resources of the set that no file has any more.")
    private boolean prune;

    @Option(names = "--replace-secrets", description = "Write secrets that already exist, too.")
    private boolean replaceSecrets;

    @Mixin
    private ColorOption color = new ColorOption();

    @Override
    public Integer call() {
        check(prune && set == null, "--prune needs --set, which stores what was applied.");
        check(exitCode && !dryRun, "--exit-code needs --dry-run.");
        check(set != null && !AppliedSet.isSet(set), "--set must be 1 to 40 of a-z, 0-9 and -, not at the ends.");
        var manifests = new Manifests(System.getenv());
        files.forEach(manifests::read);
        if (!manifests.problems().isEmpty()) {
            return explain(manifests.problems(), ExitCode.USAGE);
        }
        if (manifests.declared().isEmpty()) {
            // Empty files are more likely a mistake than the wish to prune everything.
            return explain(List.of("There is nothing in " + String.join(", ", files) + "."), ExitCode.USAGE);
        }
        var wanted = DependencyOrder.of(manifests.declared());
        return callServer(client -> run(client, wanted));
    }

    private void check(boolean wrong, String sentence) {
        if (wrong) {
            throw invalid(sentence);
        }
    }

    private int run(ServerClient client, List<DesiredResource> wanted) throws IOException, InterruptedException {
        var inventory = set == null ? null : AppliedSet.read(client, set);
        var names = new LinkedHashSet<ResourceId>();
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
            // Written first, so that a run that stops halfway forgets no resource.
            inventory.write(client, everything);
        }
        execute(client, plan);
        println(plan.summary());
        if (inventory != null && prune) {
            writeNames(client, inventory, names);
        }
        return ExitCode.DONE;
    }

    /** Removes pruned resources from the set. */
    private void writeNames(ServerClient client, AppliedSet inventory, Set<ResourceId> names)
            throws IOException, InterruptedException {
        try {
            inventory.write(client, names);
        } catch (IOException e) {
            println("Only writing the list of the set '" + set + "' has failed. Run the same command again.");
            throw e;
        }
    }

    /** Sends each step as a dry run, so that refusals are known before anything is changed. */
    private int rehearse(ServerClient client, Plan plan) throws IOException, InterruptedException {
        var rehearsal = new DryRun(client, plan);
        if (!rehearsal.isKnown()) {
            return explain(
                    List.of("The server is older than dry runs and would do what it is asked to check; upgrade it."),
                    ExitCode.REFUSED);
        }
        var refused = new ArrayList<String>();
        try (var progress = progress("checking", plan.steps().size())) {
            for (var i = 0; i < plan.steps().size(); i++) {
                var step = plan.steps().get(i);
                progress.update(i, step.identity().toString());
                switch (rehearsal.of(step)) {
                    case DryRun.Verdict.Possible _ -> {}
                    case DryRun.Verdict.Open(var needed) -> {
                        progress.clear();
                        println(step.identity() + " cannot be checked to the end: it depends on " + needed
                                + " of this run.");
                    }
                    case DryRun.Verdict.Refused(var reason) ->
                        refused.add(step.identity() + " would be refused: " + reason);
                }
            }
        }
        if (!refused.isEmpty()) {
            return explain(refused, ExitCode.REFUSED);
        }
        println("Nothing is changed; it would be: " + plan.summary());
        return exitCode && plan.changesSomething() ? ExitCode.CHANGES : ExitCode.DONE;
    }

    private void execute(ServerClient client, Plan plan) throws IOException, InterruptedException {
        var steps = plan.steps();
        var done = 0;
        try (var progress = progress("applying", steps.size())) {
            for (var step : steps) {
                progress.update(done, step.identity().toString());
                step.perform(client, "");
                progress.clear();
                println(step.result());
                done++;
            }
        } catch (RefusedException e) {
            printStopped(steps, done, e.mayHaveTakenEffect() ? "unknown" : "failed");
            throw e;
        } catch (IOException e) {
            // The server may have performed the request.
            printStopped(steps, done, "unknown");
            throw e;
        }
    }

    /** Prints the outcome of each remaining resource. */
    private void printStopped(List<PlanStep> steps, int done, String outcome) {
        println(steps.get(done).identity() + ": " + outcome + ".");
        var settled = new ArrayList<>(steps.subList(0, done));
        var notTried = 0;
        for (var step : steps.subList(done + 1, steps.size())) {
            if (step.action() == PlanStep.Action.KEEP) {
                settled.add(step);
                println(step.result());
            } else {
                notTried++;
                println(step.identity() + ": not tried.");
            }
        }
        var counts = new ArrayList<String>();
        if (!settled.isEmpty()) {
            counts.add(new Plan(settled, List.of()).counts());
        }
        counts.add("1 " + outcome);
        if (notTried > 0) {
            counts.add(notTried + " not tried");
        }
        println("Stopped: " + String.join(", ", counts) + ". The same command goes on from here.");
    }

    private void show(Plan plan) {
        var style = color.style(Terminal.ofOutput());
        for (var step : plan.steps()) {
            if (step.action() != PlanStep.Action.KEEP) {
                println(style.apply(Style.bold, PlainLine.of(step.title())));
                step.difference()
                        .forEach(line -> println(
                                style.apply(line.startsWith("-") ? Style.fg_red : Style.fg_green, PlainLine.of(line))));
            }
        }
    }

    private ProgressBar progress(String what, int total) {
        return new ProgressBar(spec().commandLine().getErr(), Terminal.isErrorShown(), what, total);
    }

    private int explain(List<String> sentences, int code) {
        sentences.forEach(spec().commandLine().getErr()::println);
        warn("Nothing has been changed.");
        return code;
    }
}
