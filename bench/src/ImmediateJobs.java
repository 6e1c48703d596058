import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Immediate jobs at a steady rate, however long the answers take. */
final class ImmediateJobs {
    private static final int CONNECTIONS = 16;
    private static final Duration GRACE = Duration.ofSeconds(30);

    private ImmediateJobs() {}

    /**
     * Sends as many as are expected, or until it is over, and gives for each way how long they took from the moment when
     * each should have been sent to its arrival.
     *
     * @param ways as many jobs go each of these ways, by turns
     * @param perSecond jobs for each way
     * @param from the first job of a way that counts
     */
    static List<Percentiles> send(Session session, List<Delivery> ways, int perSecond, int from, BooleanSupplier over)
            throws IOException, InterruptedException, SQLException {
        int turns = ways.size();
        int count = ways.getFirst().arrivals().count();
        Service service = session.service();
        RequestBytes request = RequestBytes.post(service, "/jobs");
        Load load = Load.openLoop(
                        turns * count,
                        turns * perSecond,
                        n -> request.with(ways.get(n % turns).jobs().immediate(n / turns)))
                .until(over);
        LoadResult result = LoadLoop.run(service.address(), CONNECTIONS, load, GRACE.plusSeconds(count / perSecond))
                .expecting(201);
        List<Percentiles> times = new ArrayList<>();
        for (int way = 0; way < turns; way++) {
            Arrivals arrivals = ways.get(way).arrivals();
            long[] starts = starts(result, way, turns);
            arrivals.expectOnly(starts.length);
            session.awaitArrivals(arrivals, GRACE);
            times.add(arrivals.after(starts, from));
        }
        return times;
    }

    private static long[] starts(LoadResult result, int way, int turns) {
        return IntStream.iterate(way, n -> n < result.count(), n -> n + turns)
                .mapToLong(n -> result.startNanos()[n])
                .toArray();
    }
}
