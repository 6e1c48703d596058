package io.taskexec.cli.noun;

import io.taskexec.cli.GivenOptions;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One job with options, a few of a file, or very many of a file with a line for each. */
@Command(
        mixinStandardHelpOptions = true,
        description = "Creates a job with options, or the jobs of a file; of one that ends in .ndjson or .jsonl with a"
                + " job in each line, in batches.")
final class JobCreate implements Callable<Integer> {
    @Mixin
    private JobFlags flags = new JobFlags();

    @Option(names = "--ndjson", description = "The file has a job in each line, whatever it is called.")
    private boolean lines;

    @Mixin
    private WaitOptions waiting = new WaitOptions();

    @Mixin
    private Creation creation = new Creation();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    static CommandLine line() {
        return new CommandLine(new JobCreate());
    }

    @Override
    public Integer call() {
        if (creation.hasFile() == flags.areGiven()) {
            throw new ParameterException(
                    spec.commandLine(), "Say either --endpoint and what else a job has, or a file with -f.");
        }
        if (!creation.hasFile()) {
            GivenOptions.refuse(spec, Set.of("--ndjson"), "without -f");
            return creation.one(Nouns.JOBS, spec, flags.job(spec), waiting);
        }
        return lines || creation.hasLines() ? creation.fromLines(spec) : creation.fromFile(Nouns.JOBS, spec, waiting);
    }
}
