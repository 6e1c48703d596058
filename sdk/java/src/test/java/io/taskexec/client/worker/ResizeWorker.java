package io.taskexec.client.worker;

import static io.taskexec.client.Eventually.until;

import io.taskexec.client.Task;
import io.taskexec.client.worker.FakeTaskexec.Ended;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** A server with tasks of one kind for the workers of a test. */
abstract class ResizeWorker {
    record Resize(String file, int width) implements Task {}

    static final Resize TASK = new Resize("a.jpg", 20);

    final FakeTaskexec server = new FakeTaskexec();

    @AfterEach
    void stop() {
        server.close();
    }

    WorkerBuilder worker() {
        return Worker.of(server.client()).shortLease(Duration.ofMillis(600)).grace(Duration.ofSeconds(10));
    }

    static void during(WorkerBuilder builder, Runnable steps) {
        var worker = builder.start();
        try {
            steps.run();
        } finally {
            worker.close();
        }
    }

    Ended run(Handler<Resize> handler, Map<String, ?> more) {
        var lease = server.add("resize", TASK, 4, more);
        during(
                worker().handle(Resize.class, handler),
                () -> until(() -> !server.ended(lease).isEmpty()));
        return server.ended(lease).get(0);
    }

    Ended run(Handler<Resize> handler) {
        return run(handler, Map.of());
    }
}
