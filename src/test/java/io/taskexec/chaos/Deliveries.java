package io.taskexec.chaos;

import io.taskexec.testing.Answer;
import io.taskexec.testing.Received;
import io.taskexec.testing.Receiver;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records the requests at the receiver, which answers as {@link Traffic} says. */
final class Deliveries implements AutoCloseable {
    private final Receiver receiver = new Receiver();
    private final Queue<Delivery> all = new ConcurrentLinkedQueue<>();

    /**
     * A request that arrived.
     *
     * @param succeeded whether it was answered so that its execution is done
     */
    record Delivery(String execution, int attempt, boolean succeeded) {}

    Deliveries() {
        receiver.answer(this::arrived);
    }

    private Answer arrived(Received request) {
        var answer = Traffic.at(request.path()).answer(request);
        all.add(new Delivery(
                String.valueOf(request.header("Taskexec-Execution-Id")),
                Integer.parseInt(String.valueOf(request.header("Taskexec-Attempt"))),
                answer.status() < 300));
        return answer;
    }

    Receiver receiver() {
        return receiver;
    }

    List<Delivery> all() {
        return List.copyOf(all);
    }

    @Override
    public void close() {
        receiver.close();
    }
}
