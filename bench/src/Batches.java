import java.io.IOException;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Creates many jobs as fast as the API takes them. */
final class Batches {
    static final int SIZE = 500;
    static final int CONNECTIONS = 4;

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private Batches() {}

    /** Creates jobs 0 to count - 1; request n has those from n times the size on. */
    static LoadResult create(Service service, int count, IntFunction<String> job) throws IOException {
        RequestBytes request = RequestBytes.post(service, "/jobs/batch");
        var load = Load.closedLoop(Math.ceilDiv(count, SIZE), n -> request.with(batch(n, count, job)));
        return LoadLoop.run(service.address(), CONNECTIONS, load, LIMIT).expecting(200);
    }

    private static String batch(int n, int count, IntFunction<String> job) {
        return IntStream.range(n * SIZE, Math.min(count, (n + 1) * SIZE))
                .mapToObj(job)
                .collect(Collectors.joining(",", "{\"jobs\":[", "]}"));
    }
}
