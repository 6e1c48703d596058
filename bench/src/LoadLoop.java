import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends a load over keep-alive connections from the calling thread. A selector instead of a thread or an HTTP client
 * per connection, because the load generator shares its processors with the program that it measures.
 */
final class LoadLoop {
    private static final long ANSWER_WAIT_MILLIS = 100;
    private static final long COARSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Selector selector;
    private final Load load;
    private final LoadResult result;
    private final Deque<LoadConnection> idle = new ArrayDeque<>();
    private long beginNanos;
    private int next;
    private int answered;

    private LoadLoop(Selector selector, Load load) {
        this.selector = selector;
        this.load = load;
        this.result = LoadResult.empty(load.count());
    }

    /** Sends everything and waits for every answer; fails when that takes longer than the limit. */
    static LoadResult run(InetSocketAddress target, int connections, Load load, Duration limit) throws IOException {
        try (Selector selector = Selector.open()) {
            var loop = new LoadLoop(selector, load);
            try {
                for (int i = 0; i < connections; i++) {
                    loop.idle.add(LoadConnection.open(target, selector));
                }
                return loop.sendAll(limit);
            } finally {
                for (SelectionKey key : selector.keys()) {
                    key.channel().close();
                }
            }
        }
    }

    private LoadResult sendAll(Duration limit) throws IOException {
        beginNanos = System.nanoTime();
        while (answered < planned()) {
            sendWhatIsDue();
            awaitNext();
            failWhenHopeless(limit);
        }
        return result.first(next);
    }

    private int planned() {
        return load.over().getAsBoolean() ? next : load.count();
    }

    private void failWhenHopeless(Duration limit) throws IOException {
        boolean late = System.nanoTime() - beginNanos > limit.toNanos();
        if (late || selector.keys().isEmpty()) {
            String reason = late ? "within " + limit.toSeconds() + " s." : "before all connections were closed.";
            throw new IOException("Only " + answered + " of " + planned() + " requests were answered " + reason);
        }
    }

    private void sendWhatIsDue() throws IOException {
        while (next < planned() && !idle.isEmpty() && untilDueNanos() <= 0) {
            int n = next++;
            byte[] request = load.request().apply(n);
            result.startNanos()[n] = load.paced() ? dueNanos(n) : System.nanoTime();
            idle.remove().send(n, request);
        }
    }

    private void awaitNext() throws IOException {
        boolean mayNotSend = next == planned() || idle.isEmpty();
        long wait = mayNotSend ? TimeUnit.MILLISECONDS.toNanos(ANSWER_WAIT_MILLIS) : untilDueNanos();
        if (wait > COARSE_NANOS) {
            // A selector's timeout is in whole milliseconds: it wakes early here, and the rest is waited for below.
            selector.select(this::ready, TimeUnit.NANOSECONDS.toMillis(wait - COARSE_NANOS) + 1);
        } else {
            LockSupport.parkNanos(wait);
            selector.selectNow(this::ready);
        }
    }

    private long dueNanos(int n) {
        return beginNanos + n * load.intervalNanos();
    }

    private long untilDueNanos() {
        return load.paced() ? dueNanos(next) - System.nanoTime() : 0;
    }

    private void ready(SelectionKey key) {
        var connection = (LoadConnection) key.attachment();
        int status = connection.readStatus();
        if (status == LoadConnection.BROKEN) {
            key.cancel();
        }
        if (status != LoadConnection.UNANSWERED && !idle.remove(connection)) {
            int n = connection.request();
            result.answerNanos()[n] = System.nanoTime();
            result.statuses()[n] = status;
            answered++;
            if (status != LoadConnection.BROKEN) {
                idle.add(connection);
            }
        }
    }
}
