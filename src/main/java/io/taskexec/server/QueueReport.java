package io.taskexec.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.store.execution.QueueDepthStore.Depth;
import java.util.List;

/** Queues as JSON for autoscalers: each number is always there, and 0 where there is nothing. */
final class QueueReport {
    private QueueReport() {}

    /** All queues and their total. */
    static ObjectNode all(List<Depth> depths) {
        var report = JsonNodeFactory.instance.objectNode();
        var total = depths.stream().reduce(idle(""), QueueReport::together);
        report.set("total", numbers(JsonNodeFactory.instance.objectNode(), total));
        var queues = report.putArray("queues");
        depths.forEach(depth -> queues.add(named(depth)));
        return report;
    }

    /** One queue; one that does not exist is an idle one, which it becomes with its first job. */
    static ObjectNode one(List<Depth> depths, String name) {
        return named(depths.stream()
                .filter(depth -> depth.queue().equals(name))
                .findFirst()
                .orElse(idle(name)));
    }

    private static Depth idle(String name) {
        return Depth.idle(name);
    }

    private static Depth together(Depth one, Depth other) {
        return new Depth(
                one.queue(),
                one.ready() + other.ready(),
                one.scheduled() + other.scheduled(),
                one.parked() + other.parked(),
                one.running() + other.running(),
                Math.max(one.oldestAge(), other.oldestAge()),
                Math.max(one.pausedFor(), other.pausedFor()));
    }

    private static ObjectNode named(Depth depth) {
        return numbers(JsonNodeFactory.instance.objectNode().put("queue", depth.queue()), depth);
    }

    private static ObjectNode numbers(ObjectNode node, Depth depth) {
        return node.put("ready", depth.ready())
                .put("scheduled", depth.scheduled())
                .put("parked", depth.parked())
                .put("running", depth.running())
                .put("oldest_age_seconds", Math.round(depth.oldestAge()));
    }
}
