import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;

/** Claims, calls and records, and nothing else: what any durable queue with this history and this server pays. */
final class FloorLoop {
    private static final int CONNECTIONS = 50;
    private static final int CLAIM = 200;
    private static final int RECORD = 500;
    private static final String OUTPUT = "{\"status\":200,\"body\":\"OK\"}";
    private static final long IDLE_MILLIS = 1;

    private final Connection claimConnection;
    private final Connection recordConnection;
    private final RequestBytes request;
    private final int count;
    private final BlockingQueue<Claimed> claimed = new LinkedBlockingQueue<>(2 * CLAIM);
    private final BlockingQueue<UUID> answered = new LinkedBlockingQueue<>();
    private final Deque<LoadConnection> idle = new ArrayDeque<>();
    private final Claimed[] calls;

    private FloorLoop(Connection claimConnection, Connection recordConnection, RequestBytes request, int count) {
        this.claimConnection = claimConnection;
        this.recordConnection = recordConnection;
        this.request = request;
        this.count = count;
        this.calls = new Claimed[count];
    }

    private record Claimed(UUID id, String input) {}

    /** Delivers everything that is queued, which must be as many jobs as are expected. */
    static void run(
            Connection claimConnection,
            Connection recordConnection,
            InetSocketAddress target,
            RequestBytes request,
            int count)
            throws IOException, InterruptedException, ExecutionException {
        var loop = new FloorLoop(claimConnection, recordConnection, request, count);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> claiming = threads.submit(() -> {
                loop.claimAll();
                return null;
            });
            Future<?> recording = threads.submit(() -> {
                loop.recordAll();
                return null;
            });
            try {
                loop.callAll(target, claiming, recording);
                claiming.get();
                recording.get();
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private void claimAll() throws SQLException, InterruptedException {
        try (PreparedStatement claim = claimConnection.prepareStatement(FloorSql.CLAIM)) {
            for (int n = 0; n < count; ) {
                claim.setLong(1, CLAIM);
                try (ResultSet rows = claim.executeQuery()) {
                    while (rows.next()) {
                        claimed.put(new Claimed(rows.getObject(1, UUID.class), rows.getString(2)));
                        n++;
                    }
                }
            }
        }
    }

    private void callAll(InetSocketAddress target, Future<?> claiming, Future<?> recording) throws IOException {
        try (Selector selector = Selector.open()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                idle.add(LoadConnection.open(target, selector));
            }
            int sent = 0;
            while (!answeredAll(sent) && !failed(claiming) && !failed(recording)) {
                for (Claimed next; !idle.isEmpty() && (next = claimed.poll()) != null; sent++) {
                    calls[sent] = next;
                    idle.remove().send(sent, request.with(next.input()));
                }
                selector.select(this::answered, IDLE_MILLIS);
            }
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
        }
    }

    private boolean answeredAll(int sent) {
        return sent == count && idle.size() == CONNECTIONS;
    }

    private static boolean failed(Future<?> work) {
        return work.state() == Future.State.FAILED;
    }

    private void answered(SelectionKey key) {
        var connection = (LoadConnection) key.attachment();
        int status = connection.readStatus();
        if (status == 200) {
            answered.add(calls[connection.request()].id());
            idle.add(connection);
        } else if (status != LoadConnection.UNANSWERED) {
            throw new IllegalStateException("The receiver answered " + status + ".");
        }
    }

    private void recordAll() throws SQLException, InterruptedException {
        try (PreparedStatement record = recordConnection.prepareStatement(FloorSql.RECORD)) {
            List<UUID> batch = new ArrayList<>();
            for (int n = 0; n < count; n += batch.size()) {
                batch.clear();
                batch.add(answered.take());
                answered.drainTo(batch, RECORD - 1);
                Array ids = recordConnection.createArrayOf("uuid", batch.toArray());
                record.setArray(1, ids);
                record.setArray(
                        2,
                        recordConnection.createArrayOf(
                                "text",
                                Collections.nCopies(batch.size(), OUTPUT).toArray()));
                record.setArray(3, ids);
                record.executeUpdate();
            }
        }
    }
}
