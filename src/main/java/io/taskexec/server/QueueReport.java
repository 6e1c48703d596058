package io.taskexec.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.queue.Queue;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import java.util.List;
import java.util.function.ToLongFunction;

/** Queues as JSON for autoscalers: each number is always there, and 0 where there is nothing. */
final class QueueReport {
    private QueueReport() {}

    /** All queues, the total of those from which the role worker delivers, and that of those for pull workers. */
    static ObjectNode all(List<Depth> depths) {
        var report = JsonNodeFactory.instance.objectNode();
        report.set("total", sums(depths, false));
        report.set("pulled", sums(depths, true));
        var queues = report.putArray("queues");
        depths.forEach(depth -> queues.add(named(depth)));
        return report;
    }

    private static ObjectNode sums(List<Depth> depths, boolean ofWorkers) {
        var some = depths.stream()
                .filter(depth -> Queue.isOfWorkers(depth.queue()) == ofWorkers)
                .toList();
        return numbers(JsonNodeFactory.instance.objectNode(), some);
    }

    /** One queue; one that does not exist is an idle one, which it becomes with its first job. */
    static ObjectNode one(List<Depth> depths, String name) {
        return named(depths.stream()
                .filter(depth -> depth.queue().equals(name))
                .findFirst()
                .orElse(Depth.idle(name)));
    }

    private static ObjectNode named(Depth depth) {
        return numbers(JsonNodeFactory.instance.objectNode().put("queue", depth.queue()), List.of(depth));
    }

    /** Workers leave alone what is ready in a paused queue, so that more of them would not help. */
    private static ObjectNode numbers(ObjectNode node, List<Depth> depths) {
        var open = depths.stream().filter(depth -> depth.pausedFor() == 0).toList();
        var oldestAge = open.stream().mapToDouble(Depth::oldestAge).max().orElse(0);
        return node.put("ready", sum(open, Depth::ready))
                .put("paused", sum(depths, Depth::ready) - sum(open, Depth::ready))
                .put("scheduled", sum(depths, Depth::scheduled))
                .put("parked", sum(depths, Depth::parked))
                .put("running", sum(depths, Depth::running))
                .put("oldest_age_seconds", Math.round(oldestAge));
    }

    private static long sum(List<Depth> depths, ToLongFunction<Depth> number) {
        return depths.stream().mapToLong(number).sum();
    }
}
