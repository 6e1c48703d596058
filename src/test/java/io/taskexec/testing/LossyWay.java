package io.taskexec.testing;

import io.taskexec.store.sql.Database;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** A way to a database on which the connection breaks when a statement is committed and before its answer comes. */
public final class LossyWay implements AutoCloseable {
    private static final char COMMAND_COMPLETE = 'C';

    private final PgConnectOptions target;
    private final ServerSocket server;
    private final Pool pool;
    private final Database database;
    private final AtomicBoolean loses = new AtomicBoolean();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    private LossyWay(TestDb db) {
        target = db.server();
        try {
            server = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        pool = new Pool(PgBuilder.pool()
                .with(new PoolOptions().setMaxSize(2))
                .connectingTo(new PgConnectOptions(target).setHost("127.0.0.1").setPort(server.getLocalPort()))
                .using(TestDb.vertx())
                .build());
        database = new Database(pool, TestDb.PATIENCE);
        var _ = Thread.ofVirtual().start(this::accept);
    }

    /** Makes one. */
    public static LossyWay to(TestDb db) {
        return new LossyWay(db);
    }

    /** The database at the end of the way. */
    public Database database() {
        return database;
    }

    /** Loses the answer to the next statement. */
    public void loseNextAnswer() {
        loses.set(true);
    }

    private void accept() {
        try {
            while (true) {
                var client = server.accept();
                var backend = new Socket(target.getHost(), target.getPort());
                sockets.addAll(List.of(client, backend));
                var _ = Thread.ofVirtual().start(() -> ask(client, backend));
                var _ = Thread.ofVirtual().start(() -> answer(backend, client));
            }
        } catch (IOException _) {
            // It was closed.
        }
    }

    private static void ask(Socket client, Socket backend) {
        try (client;
                backend) {
            var _ = client.getInputStream().transferTo(backend.getOutputStream());
        } catch (IOException _) {
            // One of both has gone.
        }
    }

    private void answer(Socket backend, Socket client) {
        var bytes = new byte[64 * 1024];
        try (client;
                backend) {
            for (var length = backend.getInputStream().read(bytes);
                    length >= 0;
                    length = backend.getInputStream().read(bytes)) {
                if (isOfStatement(ByteBuffer.wrap(bytes, 0, length)) && loses.compareAndSet(true, false)) {
                    return;
                }
                client.getOutputStream().write(bytes, 0, length);
            }
        } catch (IOException _) {
            // One of both has gone.
        }
    }

    /** Whether a statement has been carried out, which the server tells after the commit. */
    private static boolean isOfStatement(ByteBuffer messages) {
        while (messages.remaining() > Integer.BYTES) {
            var type = messages.get();
            if (type == COMMAND_COMPLETE) {
                return true;
            }
            var next = messages.position() + messages.getInt();
            messages.position(Math.clamp(next, messages.position(), messages.limit()));
        }
        return false;
    }

    @Override
    public void close() {
        TestDb.await(pool.close());
        try {
            server.close();
            for (var socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
