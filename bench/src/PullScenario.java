import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** How fast one pull worker takes and completes jobs that cost it nothing, and how soon it gets a new one. */
final class PullScenario implements Scenario {
    private static final String NAME = "pull";
    private static final int JOBS = 50_000;
    private static final int WARM_UP = 3;
    private static final int CONNECTIONS = 4;
    private static final int MOST = 500;
    private static final int PER_SECOND = 200;
    private static final int SECONDS = 15;
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Pattern LEASE = Pattern.compile("\"lease\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern NUMBER = Pattern.compile("\"n\"\\s*:\\s*(\\d+)");

    private static final String DRAINED = "jobs leased and completed";
    private static final String LATENCY = "POST to lease, p99 at " + PER_SECOND + "/s";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.least("pull worker, against deliveries", NAME, DRAINED)
                        .against("drain", DrainScenario.DELIVERED, 0.5),
                Wanted.most(LATENCY, NAME, LATENCY, 15));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        var api = new ApiClient(session.service());
        for (int i = 0; i < WARM_UP; i++) {
            double _ = drain(api, NAME + "-warm-up-" + i);
        }
        session.report().add(NAME, DRAINED, drain(api, NAME + "-drain"), "1/s");
        latency(session, api);
    }

    private static JobJson create(ApiClient api, String endpoint) throws IOException, InterruptedException {
        api.createEndpoint("{\"name\":\"bench-%s\",\"type\":\"WORKER\",\"spec\":{}}".formatted(endpoint));
        return new JobJson("bench-" + endpoint);
    }

    private static double drain(ApiClient api, String name) throws IOException, InterruptedException {
        JobJson jobs = create(api, name);
        api.createJobs(JOBS, jobs::immediate);
        var left = new AtomicInteger(JOBS);
        long begin = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(threads.submit(() -> {
                    while (left.get() > 0 && System.nanoTime() - begin < LIMIT.toNanos()) {
                        left.addAndGet(-work(api, jobs.endpoint()));
                    }
                    return null;
                }));
            }
            all.forEach(PullScenario::end);
        }
        return JOBS * 1e9 / (System.nanoTime() - begin);
    }

    private static void end(Future<?> work) {
        try {
            work.get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static int work(ApiClient api, String endpoint) throws IOException, InterruptedException {
        List<String> leases = leases(api.lease(endpoint, MOST, "PT0.2S"));
        if (!leases.isEmpty()) {
            api.complete(leases);
        }
        return leases.size();
    }

    private static List<String> leases(String answer) {
        return LEASE.matcher(answer).results().map(found -> found.group(1)).toList();
    }

    private static void latency(Session session, ApiClient api) throws IOException, InterruptedException {
        JobJson jobs = create(api, NAME + "-latency");
        int count = PER_SECOND * SECONDS;
        long[] sent = new long[count];
        long[] got = new long[count];
        var worker = CompletableFuture.runAsync(() -> {
            int left = count;
            long begin = System.nanoTime();
            while (left > 0 && System.nanoTime() - begin < LIMIT.toNanos()) {
                try {
                    String answer = api.lease(jobs.endpoint(), MOST, "PT5S");
                    long now = System.nanoTime();
                    List<Integer> numbers = NUMBER.matcher(answer)
                            .results()
                            .map(MatchResult::group)
                            .map(text -> Integer.parseInt(text.replaceAll("\\D", "")))
                            .collect(Collectors.toList());
                    numbers.forEach(n -> got[n] = now);
                    left -= numbers.size();
                    if (!numbers.isEmpty()) {
                        var leases = leases(answer);
                        // Beside the next request, as a worker would.
                        CompletableFuture.runAsync(() -> complete(api, leases));
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        long begin = System.nanoTime();
        for (int n = 0; n < count; n++) {
            long due = begin + n * 1_000_000_000L / PER_SECOND;
            while (System.nanoTime() < due) {
                Thread.sleep(Duration.ofNanos(Math.max(1, due - System.nanoTime())));
            }
            sent[n] = System.nanoTime();
            int number = n;
            Thread.ofVirtual().start(() -> post(api, jobs.immediate(number)));
        }
        worker.join();
        Percentiles times =
                Percentiles.of(IntStream.range(PER_SECOND * 3, count).mapToLong(n -> got[n] - sent[n]));
        session.report().add(NAME, LATENCY.replace("p99", "p50"), times.millis(50), "ms");
        session.report().add(NAME, LATENCY, times.millis(99), "ms");
        long missing = LongStream.of(got).filter(at -> at == 0).count();
        if (missing > 0) {
            session.report().problem(NAME, missing + " jobs were not leased");
        }
    }

    private static void post(ApiClient api, String job) {
        try {
            api.createJob(job);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void complete(ApiClient api, List<String> leases) {
        try {
            api.complete(leases);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
