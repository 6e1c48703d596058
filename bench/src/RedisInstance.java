import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import redis.embedded.RedisServer;

/** One Redis server beside the load generator, which keeps nothing; the ids of entries are the times of their arrival. */
final class RedisInstance implements MessageServer {
    private final RedisServer server;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String url;

    private RedisInstance(RedisServer server, int port) {
        this.server = server;
        this.url = "redis://127.0.0.1:" + port;
        this.client = RedisClient.create(url);
        this.connection = client.connect();
    }

    static RedisInstance start() throws IOException {
        int port = freePort();
        var server = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        server.start();
        return new RedisInstance(server, port);
    }

    @Override
    public String endpoint(String name) {
        return """
                {"name":"%s","type":"REDIS_STREAM",
                 "spec":{"redis_url":"%s","stream":"%s","fields_template":{"n":"{{input.n}}"}}}\
                """.formatted(name, url, name);
    }

    @Override
    public long count(String name) {
        return connection.sync().xlen(name);
    }

    @Override
    public double seconds(String name) {
        var commands = connection.sync();
        long first = millis(commands.xrange(name, Range.unbounded(), Limit.from(1)));
        return (millis(commands.xrevrange(name, Range.unbounded(), Limit.from(1))) - first) / 1e3;
    }

    private static long millis(List<StreamMessage<String, String>> entries) {
        String id = entries.getFirst().getId();
        return Long.parseLong(id.substring(0, id.indexOf('-')));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
        client.shutdown();
        server.stop();
    }
}
