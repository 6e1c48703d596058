package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.GivenOptions;
import io.taskexec.cli.InputText;
import io.taskexec.cli.OutputForm;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.RefusedException;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerOptions;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Creates resources from files, and says so. */
final class Creation {
    /** What is said beside a file with a line for each resource, of which only counts are printed. */
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

    @Mixin
    private ServerOptions server = new ServerOptions();

    boolean hasFile() {
        return !file.isEmpty();
    }

    boolean hasLines() {
        return file.endsWith(".ndjson") || file.endsWith(".jsonl");
    }

    /** Creates the jobs of a file that has one in each line; gives the exit code. */
    int fromLines(CommandSpec spec) {
        GivenOptions.refuseAllBut(spec, WITH_LINES, "with a file that has a job in each line");
        return server.call(spec, client -> new JobLines(client, spec, file).send());
    }

    /** Creates what the file has, which describes all of it; gives the exit code. */
    int fromFile(Noun noun, CommandSpec spec) {
        return fromFile(noun, spec, new WaitOptions());
    }

    /** The same, and waits for the executions of what it creates, if it is to. */
    int fromFile(Noun noun, CommandSpec spec, WaitOptions waiting) {
        GivenOptions.refuseAllBut(spec, WITH_A_FILE, "with -f");
        var documents = documents(spec);
        var bound = waiting.bound(spec);
        if (bound != null) {
            documents.forEach(document -> refuseSchedule(spec, document));
        }
        return create(noun, spec, documents, bound);
    }

    /** Creates one thing. */
    int one(Noun noun, CommandSpec spec, ObjectNode fields) {
        return one(noun, spec, fields, new WaitOptions());
    }

    /** The same, and waits for its execution, if it is to. */
    int one(Noun noun, CommandSpec spec, ObjectNode fields, WaitOptions waiting) {
        var document = new YamlDocument("", fields, new YamlDocument.Places());
        return create(noun, spec, List.of(document), waiting.bound(spec));
    }

    private List<YamlDocument> documents(CommandSpec spec) {
        try {
            var documents = YamlReader.read(file.equals("-") ? "<stdin>" : file, InputText.read(file));
            if (documents.isEmpty()) {
                throw new MalformedTextException(InputText.called(file) + " is empty.");
            }
            for (var document : documents) {
                if (!document.tree().isObject()) {
                    throw new MalformedTextException(document.at("") + ": Fields are expected here.");
                }
            }
            return documents;
        } catch (MalformedTextException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private int create(Noun noun, CommandSpec spec, List<YamlDocument> documents, @Nullable Duration bound) {
        return server.call(spec, client -> {
            var created = new ArrayList<JsonNode>();
            var code = ExitCode.DONE;
            try {
                for (var document : documents) {
                    created.add(post(client, noun, document));
                }
                // People read first what there is to wait for; a program reads what has become of it.
                if (bound != null && !output.isTable()) {
                    code = await(client, created, new Waiting(client, spec, bound));
                }
            } finally {
                print(noun, spec, created);
            }
            return bound != null && output.isTable() ? await(client, created, new Waiting(client, spec, bound)) : code;
        });
    }

    private static void refuseSchedule(CommandSpec spec, YamlDocument document) {
        var trigger = document.tree().path("trigger").asText();
        if (trigger.equals("CRON") || trigger.equals("INTERVAL")) {
            throw new ParameterException(
                    spec.commandLine(),
                    document.at("/trigger") + ": --wait cannot be given with a schedule, which does not end.");
        }
    }

    private int await(ServerClient client, List<JsonNode> created, Waiting end)
            throws RefusedException, IOException, InterruptedException {
        var code = ExitCode.DONE;
        for (var i = 0; i < created.size(); i++) {
            var id = created.get(i).at("/execution/execution_id");
            if (id.isTextual()) {
                var execution = end.forExecution(id.asText());
                code = Math.max(code, Waiting.code(execution));
                if (execution != null && output.isTable()) {
                    end.tell(execution);
                } else if (execution != null) {
                    created.set(i, ended(client, created.get(i), execution));
                }
            }
        }
        return code;
    }

    /** A job as it is now, with all of its execution. */
    private static JsonNode ended(ServerClient client, JsonNode job, JsonNode execution)
            throws RefusedException, IOException, InterruptedException {
        var now = client.get(Nouns.JOBS.one(job.path(Nouns.JOBS.id()).asText()).toString());
        return now instanceof ObjectNode fields ? fields.set("execution", execution) : now;
    }

    private static JsonNode post(ServerClient client, Noun noun, YamlDocument document)
            throws RefusedException, IOException, InterruptedException {
        try {
            return client.post(noun.path(), document.tree());
        } catch (RefusedException e) {
            throw document.file().isEmpty() ? e : e.at(document::at);
        }
    }

    private void print(Noun noun, CommandSpec spec, List<JsonNode> created) {
        var out = spec.commandLine().getOut();
        for (var resource : created) {
            if (output.isTable()) {
                out.println(noun.one() + " " + resource.path(noun.id()).asText() + " is created.");
            } else {
                out.print(created.size() > 1 && output.kind() == OutputForm.Kind.YAML ? "---\n" : "");
                out.print(output.show(resource, noun.nameOf(resource)));
            }
        }
        out.flush();
    }
}
