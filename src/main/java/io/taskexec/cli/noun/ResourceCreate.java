package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.IgnoredOptions;
import io.taskexec.cli.InputText;
import io.taskexec.cli.OutputFormat;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerClient.Response;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.cli.option.WaitOptions;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlDocument;
import io.taskexec.cli.text.YamlReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Base class of commands that create resources, also from files. */
abstract class ResourceCreate extends ServerCommand {
    /** The options that go with a file with a job in each line. */
    private static final Set<String> WITH_LINES = Set.of("--file", "--ndjson", "--url", "--token-file", "--profile");

    private static final Set<String> WITH_A_FILE =
            Set.of("--file", "--output", "--color", "--url", "--token-file", "--profile", "--wait", "--timeout");

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description =
                    "YAML or JSON with the fields of the API, in any number of documents; - is the standard input.")
    private String file = "";

    @Mixin
    private OutputOptions output = new OutputOptions();

    final boolean hasFile() {
        return !file.isEmpty();
    }

    final boolean hasLines() {
        return file.endsWith(".ndjson") || file.endsWith(".jsonl");
    }

    /** Creates the jobs of a file with one job in each line; returns the exit code. */
    final int fromLines() {
        IgnoredOptions.refuseAllBut(spec(), WITH_LINES, "with a file that has a job in each line");
        return callServer(client -> new JobLines(client, spec(), file).send());
    }

    /** Creates the resources of the file and waits for their executions if requested; returns the exit code. */
    final int fromFile(Noun noun, WaitOptions waiting) {
        IgnoredOptions.refuseAllBut(spec(), WITH_A_FILE, "with -f");
        var documents = documents();
        var bound = waiting.bound(spec());
        if (bound != null) {
            documents.forEach(this::refuseSchedule);
        }
        return create(noun, documents, bound);
    }

    /** Creates one resource and waits for its execution if requested; returns the exit code. */
    final int one(Noun noun, ObjectNode fields, WaitOptions waiting) {
        var document = new YamlDocument("", fields, new YamlDocument.Places());
        return create(noun, List.of(document), waiting.bound(spec()));
    }

    /** Creates the resources of documents; returns the exit code. */
    final int all(Noun noun, List<YamlDocument> documents) {
        return create(noun, documents, null);
    }

    final OutputOptions output() {
        return output;
    }

    /** Reads a file that must have one document. */
    final YamlDocument onlyDocument() {
        var documents = documents();
        if (documents.size() > 1) {
            throw invalid(documents.get(1).at("") + ": Only one document is expected here.");
        }
        return documents.getFirst();
    }

    /** Reads the documents of the file, each an object. */
    final List<YamlDocument> documents() {
        try {
            var documents = YamlReader.read(file.equals("-") ? "<stdin>" : file, InputText.read(file));
            if (documents.isEmpty()) {
                throw new MalformedTextException(InputText.displayName(file) + " is empty.");
            }
            for (var document : documents) {
                if (!document.tree().isObject()) {
                    throw new MalformedTextException(document.at("") + ": An object is expected here.");
                }
            }
            return documents;
        } catch (MalformedTextException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private int create(Noun noun, List<YamlDocument> documents, @Nullable Duration bound) {
        return callServer(client -> {
            var created = new ArrayList<Response>();
            var code = ExitCode.DONE;
            try {
                for (var document : documents) {
                    created.add(post(client, noun, document));
                }
                // People see the created resources before the wait; programs get the final state after it.
                if (bound != null && !output.isTable()) {
                    code = await(client, created, new ExecutionWait(client, spec(), bound));
                }
            } finally {
                print(noun, created);
            }
            return bound != null && output.isTable()
                    ? await(client, created, new ExecutionWait(client, spec(), bound))
                    : code;
        });
    }

    private void refuseSchedule(YamlDocument document) {
        for (var field : List.of("cron", "every")) {
            if (document.tree().hasNonNull(field)) {
                throw invalid(
                        document.at("/" + field) + ": --wait cannot be used with a schedule, which does not end.");
            }
        }
    }

    private int await(ServerClient client, List<Response> created, ExecutionWait end)
            throws IOException, InterruptedException {
        var code = ExitCode.DONE;
        for (var i = 0; i < created.size(); i++) {
            var job = created.get(i).body();
            var id = job.at("/execution/execution_id");
            if (id.isTextual()) {
                var execution = end.forExecution(id.asText());
                code = Math.max(code, ExecutionWait.code(execution));
                if (execution != null && output.isTable()) {
                    end.print(execution);
                } else if (execution != null) {
                    created.set(i, new Response(ended(client, job, execution), null));
                }
            }
        }
        return code;
    }

    /** Returns the current job with its whole execution. */
    private static JsonNode ended(ServerClient client, JsonNode job, JsonNode execution)
            throws IOException, InterruptedException {
        var now = client.get(Nouns.JOBS.one(job.path(Nouns.JOBS.id()).asText()).toString());
        return now instanceof ObjectNode fields ? fields.set("execution", execution) : now;
    }

    private static Response post(ServerClient client, Noun noun, YamlDocument document)
            throws IOException, InterruptedException {
        try {
            return client.create(noun.path(), document.tree());
        } catch (RefusedException e) {
            throw document.file().isEmpty() ? e : e.at(document::at);
        }
    }

    private void print(Noun noun, List<Response> created) {
        var out = spec().commandLine().getOut();
        for (var response : created) {
            var resource = response.body();
            // A schedule of another kind is a job.
            var made = resource.hasNonNull(noun.id()) ? noun : Nouns.JOBS;
            if (output.isTable()) {
                out.println(made.one() + " " + resource.path(made.id()).asText()
                        + (response.isCreated() ? " is created." : " already exists."));
            } else {
                out.print(created.size() > 1 && output.kind() == OutputFormat.Kind.YAML ? "---\n" : "");
                out.print(output.show(resource, made.nameOf(resource)));
            }
        }
        out.flush();
    }
}
