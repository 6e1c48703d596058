package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.OutputOptions;
import io.taskexec.cli.client.ExitCode;
import io.taskexec.cli.client.ServerCommand;
import io.taskexec.model.endpoint.QueueFields;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes some settings of a queue: replaces what it has just read, unless that has changed since. */
@Command(description = "Change settings of a queue; the others stay as they are.")
final class QueueUpdate extends ServerCommand {
    @Parameters(paramLabel = "NAME", description = "Name of the queue.")
    private String name = "";

    @Mixin
    private QueueCreate.Settings options = new QueueCreate.Settings();

    @Option(
            names = "--unset",
            paramLabel = "FIELD",
            description = "Field of the API to reset to its default, such as aging; may be repeated.")
    private List<String> unset = List.of();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        if (options.isEmpty() && unset.isEmpty()) {
            throw invalid("Set at least one change, such as --weight or --unset.");
        }
        return callServer(client -> {
            var path = QueueCommands.QUEUES.one(name).toString();
            var found = client.find(path);
            // Of a queue that does not exist the server says so.
            var queue = found == null ? client.get(path) : client.put(path, changed(found.body()), found.tag());
            print(
                    output.isTable()
                            ? "queue " + queue.path("name").asText() + " is changed.\n"
                            : output.show(queue, QueueCommands.QUEUES.nameOf(queue)));
            return ExitCode.DONE;
        });
    }

    private ObjectNode changed(JsonNode present) {
        var queue = JsonNodeFactory.instance.objectNode();
        QueueFields.NEW_QUEUE.fields().keySet().stream()
                .filter(present::hasNonNull)
                .forEach(field -> queue.set(field, present.path(field)));
        unset.forEach(queue::putNull);
        options.addTo(new JsonFields(queue, spec()));
        return queue;
    }
}
