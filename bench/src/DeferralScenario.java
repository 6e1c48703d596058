import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.CallbackTokens.Purpose;
import io.taskexec.secret.KeyRing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** What executions cost while they wait for their receivers, and how fast callbacks end them. */
final class DeferralScenario implements Scenario {
    private static final String NAME = "deferral";
    private static final int WAITING = 100_000;
    private static final int CALLED = 20_000;
    private static final int SLOW = 2_000;
    private static final int PER_SECOND = 200;
    private static final int PAIRS = 40 * PER_SECOND;
    private static final Duration HOLD = Duration.ofMillis(200);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration SETTLE = Duration.ofSeconds(10);
    /** What runs once a minute is counted once. */
    private static final Duration WATCH = Duration.ofMinutes(1);

    /** The bytes of a class. The collector fills gaps between objects with arrays, which are left out. */
    private static final Pattern LIVE =
            Pattern.compile("(?m)^\\s*\\d+:\\s+\\d+\\s+(\\d+)\\s+(?!\\S*FillerElement|\\S*FillerObject)");

    private static final String HEAP = "heap after collection, growth by " + WAITING + " deferred";
    private static final String STATEMENTS = "statements at rest beside " + WAITING + " deferred";
    private static final String SLOTS = "slots that serve other work";
    private static final String CREATED = "jobs created one by one";
    private static final String ENDED = "executions ended by callbacks";
    private static final String DEPENDENT = "callback to arrival of the dependent job, p99 at " + PER_SECOND + "/s";

    private final CallbackTokens tokens = new CallbackTokens(KeyRing.parse(Program.SECRET_KEY));

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.most(HEAP, NAME, HEAP, 5),
                Wanted.most(STATEMENTS, NAME, STATEMENTS, 5),
                Wanted.least(SLOTS, NAME, SLOTS).bound(45),
                Wanted.least("callbacks, against single POST /jobs", NAME, ENDED)
                        .against(NAME, CREATED, 0.5),
                Wanted.most(DEPENDENT, NAME, DEPENDENT, 15));
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        session.runApart(Roles.ALL_IN_ONE, Map.of("TE_PUBLIC_URL", "http://127.0.0.1:1"));
        WarmUp.run(session, NAME);
        defer(session, NAME + "-first-warm-up", CALLED);
        double heap = heap(session);
        defer(session, NAME + "-waiting", WAITING);
        Thread.sleep(SETTLE);
        session.report().add(NAME, HEAP, heap(session) - heap, "MiB");
        rest(session);
        slots(session);
        callBack(session, NAME + "-first-warm-up", CALLED);
        defer(session, NAME + "-called", CALLED);
        LoadResult created = CreateScenario.create(session, NAME + "-created", CALLED);
        session.report().add(NAME, CREATED, created.perSecond(), "1/s");
        session.report()
                .add(NAME, ENDED, callBack(session, NAME + "-called", CALLED).perSecond(), "1/s");
        var _ = dependent(session, NAME + "-pairs-warm-up");
        Percentiles times = dependent(session, NAME + "-dependent");
        session.report().add(NAME, DEPENDENT, times.millis(99), "ms");
        session.report().add(NAME, DEPENDENT.replace("p99", "p50"), times.millis(50), "ms");
    }

    private static EndpointJson deferring() {
        return EndpointJson.USUAL.completion("{\"modes\":[\"callback\"],\"timeout\":\"PT24H\",\"always\":true}");
    }

    private static Delivery defer(Session session, String name, int count)
            throws IOException, InterruptedException, SQLException {
        Delivery delivery = session.deliver(session.receiver().expect(name, count), deferring());
        delivery.createAll();
        session.awaitArrivals(delivery.arrivals(), LIMIT);
        awaitDeferred(session, delivery.jobs().endpoint(), count);
        return delivery;
    }

    private static void awaitDeferred(Session session, String endpoint, int count)
            throws InterruptedException, SQLException {
        try (ProgramDatabase database = ProgramDatabase.open(session)) {
            while (database.number(
                            "SELECT count(*) FROM exec_live l JOIN jobs j ON j.job_id = l.job_id WHERE l.deferred"
                                    + " AND j.endpoint = '" + endpoint + "'")
                    < count) {
                Thread.sleep(SETTLE.dividedBy(50));
            }
        }
    }

    /** Sends a callback for each execution of the endpoint of a scenario. */
    private LoadResult callBack(Session session, String name, int count)
            throws IOException, InterruptedException, SQLException {
        UUID[] executions = executions(session, name, count);
        Load load = Load.closedLoop(count, n -> request(session, executions[n]));
        return LoadLoop.run(session.service().address(), session.options().connections(), load, LIMIT)
                .expecting(200);
    }

    private byte[] request(Session session, UUID execution) {
        String body = "{\"status\":\"succeeded\",\"output\":{\"ok\":true}}";
        try {
            return RequestBytes.post(
                            session.service().host(), "/callbacks/" + tokens.of(Purpose.CALLBACK, execution, 1), "")
                    .with(body);
        } catch (IOException | InterruptedException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The executions of an endpoint by the numbers in their inputs. */
    private static UUID[] executions(Session session, String name, int count) throws SQLException {
        UUID[] executions = new UUID[count];
        try (Connection connection = session.database().orElseThrow().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT (input ->> 'n')::int, job_id::text FROM jobs WHERE"
                        + " endpoint LIKE 'bench-" + name + "-%'")) {
            while (rows.next()) {
                executions[rows.getInt(1)] = UUID.fromString(rows.getString(2));
            }
        }
        return executions;
    }

    /** Mebibytes of live objects: a histogram of classes is taken after a collection. */
    private static double heap(Session session) throws IOException, InterruptedException {
        long pid = session.programs().getFirst().process().pid();
        return LIVE.matcher(jcmd(pid, "GC.class_histogram"))
                        .results()
                        .mapToLong(row -> Long.parseLong(row.group(1)))
                        .sum()
                / (1024.0 * 1024);
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/jcmd", String.valueOf(pid), command)
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("jcmd: " + said);
        }
        return said;
    }

    private static void rest(Session session) throws IOException, InterruptedException, SQLException {
        Database database = session.database().orElseThrow();
        Activity before = Activity.of(session.server(), database);
        Thread.sleep(WATCH);
        Activity done = Activity.of(session.server(), database).since(before);
        session.report().add(NAME, STATEMENTS, done.statements() / WATCH.toSeconds(), "1/s");
    }

    /** Jobs that take a while, beside what is deferred: how many of them run at once. */
    private static void slots(Session session) throws IOException, InterruptedException, SQLException {
        Delivery slow = session.deliverSlowlyTo(NAME + "-slow", SLOW, HOLD);
        slow.createAll();
        session.awaitArrivals(slow.arrivals(), LIMIT);
        session.report().add(NAME, SLOTS, slow.arrivals().perSecond() * HOLD.toMillis() / 1000, "");
    }

    /** Callbacks at a steady rate, each of a job that another one waits for. */
    private Percentiles dependent(Session session, String name) throws IOException, InterruptedException, SQLException {
        Delivery pairs = session.deliver(session.receiver().expect(name, 2 * PAIRS), deferring())
                .chains(2);
        pairs.api().createJobs(2 * PAIRS, n -> pairs.jobs().immediate(n));
        pairs.arrivals().awaitSome(PAIRS, LIMIT);
        awaitDeferred(session, pairs.jobs().endpoint(), PAIRS);
        UUID[] executions = executions(session, name, 2 * PAIRS);
        Load load = Load.openLoop(PAIRS, PER_SECOND, n -> request(session, executions[2 * n]));
        LoadResult result = LoadLoop.run(
                        session.service().address(), session.options().connections(), load, LIMIT)
                .expecting(200);
        session.awaitArrivals(pairs.arrivals(), LIMIT);
        long[] starts = IntStream.range(0, 2 * PAIRS)
                .mapToLong(n -> result.startNanos()[n / 2])
                .toArray();
        return pairs.arrivals().afterEach(starts, n -> n % 2 == 1);
    }
}
