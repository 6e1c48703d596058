package io.taskexec.cli.noun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Creates one queue from options, or the queues of a file. */
@Command(description = "Create a queue with options, or the queues of a file.")
final class QueueCreate extends ResourceCreate {
    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the queue; not with -f.")
    private @Nullable String name;

    @Mixin
    private QueueOptions options = new QueueOptions();

    @Override
    public Integer call() {
        if (hasFile() == (name != null)) {
            throw invalid("Set either a NAME, or a file with -f.");
        }
        if (hasFile()) {
            return fromFile(QueueCommands.QUEUES, new WaitOptions());
        }
        var queue = JsonNodeFactory.instance.objectNode().put("name", name);
        options.addTo(new JsonFields(queue, spec()));
        return one(QueueCommands.QUEUES, queue, new WaitOptions());
    }
}
