import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the scenarios of one run share: the receiver, the report, and the program (started when first needed). */
final class Session implements AutoCloseable {
    private static final Duration IDLE_BEFORE_FIRST_SAMPLE = Duration.ofSeconds(3);

    /** How long a scenario watches for second deliveries after everything has come once. */
    static final Duration WATCH_FOR_DUPLICATES = Duration.ofSeconds(2);

    private final Options options;
    private final Report report;
    private final Workspace workspace;
    private final Receiver receiver;
    private final Processes processes;
    private Optional<DatabaseServer> server = Optional.empty();
    private Optional<Database> usual = Optional.empty();
    private Optional<Database> apart = Optional.empty();
    private Optional<MemorySample> idleMemory = Optional.empty();

    Session(Path root, Options options, Report report) throws IOException {
        this.options = options;
        this.report = report;
        this.workspace = Workspace.create(root);
        this.receiver = Receiver.start();
        this.processes = new Processes(options, workspace);
    }

    Options options() {
        return options;
    }

    Report report() {
        return report;
    }

    Receiver receiver() {
        return receiver;
    }

    Workspace workspace() {
        return workspace;
    }

    /** The processes of the program under test that run now, if they were started here. */
    List<Program> programs() {
        return processes.all();
    }

    /** The memory of the program before it had anything to do, if it was started here. */
    Optional<MemorySample> idleMemory() {
        return idleMemory;
    }

    /** The server for all sides, started when first needed. */
    DatabaseServer server() throws SQLException {
        if (server.isEmpty()) {
            server = Optional.of(DatabaseServer.start(workspace.directory("server")));
            report.usedPostgresql(server.get().maintenance().text("SHOW server_version"));
        }
        return server.get();
    }

    /** The database of the program under test, if it was started here. */
    Optional<Database> database() {
        return apart.isPresent() ? apart : usual;
    }

    Service service() throws IOException, InterruptedException, SQLException {
        if (options.url().isPresent()) {
            return running(options.url().get(), options.apiKey().orElseThrow());
        }
        if (programs().isEmpty()) {
            start(Roles.ALL_IN_ONE, Map.of());
        }
        return programs().getFirst().service();
    }

    /** Has the program run as these processes from now on, with the database that it had. */
    void run(Roles roles) throws IOException, InterruptedException, SQLException {
        if (!programs().isEmpty() && !processes.areIn(roles)) {
            stopPrograms();
        }
        if (programs().isEmpty()) {
            start(roles, Map.of());
        }
    }

    /** The same with all roles in one process, anew and with settings of a scenario's own. */
    void restart(Map<String, String> settings) throws IOException, InterruptedException, SQLException {
        stopPrograms();
        start(Roles.ALL_IN_ONE, settings);
    }

    /** Has it run anew as these processes, with a database that is empty, and gone when the scenario is over. */
    void runApart(Roles roles, Map<String, String> settings) throws IOException, InterruptedException, SQLException {
        endApart();
        apart = Optional.of(server().create("apart"));
        processes.start(roles, settings, apart.get());
    }

    /** Kills one of its processes, and starts it anew. */
    void killAndReplace(int process) throws IOException, InterruptedException {
        processes.killAndReplace(process, database().orElseThrow());
    }

    /** Whether a scenario cannot run because the program was not started here, which is said then. */
    boolean leavesOut(String scenario) {
        if (options.url().isPresent()) {
            System.err.println(scenario + " is left out: the program was not started here.");
        }
        return options.url().isPresent();
    }

    void stopPrograms() {
        processes.stop();
    }

    /** What a scenario left that has had several processes or other settings is no place for the next one. */
    void beginScenario() throws SQLException {
        if (!processes.areUsual() || apart.isPresent()) {
            endApart();
        }
    }

    private void endApart() throws SQLException {
        stopPrograms();
        if (apart.isPresent()) {
            server().drop(apart.get());
            apart = Optional.empty();
        }
    }

    private void start(Roles roles, Map<String, String> settings)
            throws IOException, InterruptedException, SQLException {
        if (usual.isEmpty()) {
            usual = Optional.of(server().create("taskexec"));
        }
        processes.start(roles, settings, usual.get());
        if (idleMemory.isEmpty()) {
            Thread.sleep(IDLE_BEFORE_FIRST_SAMPLE);
            idleMemory = Optional.of(MemorySample.of(programs().getFirst().process(), server().directory()));
        }
    }

    /** Registers an endpoint that leads to a fresh place at the receiver. */
    Delivery deliverTo(String scenario, int count) throws IOException, InterruptedException, SQLException {
        return deliverTo(scenario, count, Numbering.BODY);
    }

    Delivery deliverTo(String scenario, int count, Numbering numbering)
            throws IOException, InterruptedException, SQLException {
        return deliver(receiver.expect(scenario, count, numbering), EndpointJson.USUAL);
    }

    /** The same with a queue other than the default one. */
    Delivery deliverThrough(String queue, String scenario, int count)
            throws IOException, InterruptedException, SQLException {
        return deliver(receiver.expect(scenario, count), EndpointJson.USUAL.queue(queue));
    }

    /** The same with a receiver that takes its time to answer. */
    Delivery deliverSlowlyTo(String scenario, int count, Duration answerAfter)
            throws IOException, InterruptedException, SQLException {
        Reception reception = Reception.holding(answerAfter);
        return deliver(receiver.expect(scenario, count, Numbering.BODY, reception), EndpointJson.USUAL);
    }

    /** The same with jobs of so many flow keys, each of which may have a thousand at once. */
    Delivery deliverKeyedTo(String scenario, int count, int keys)
            throws IOException, InterruptedException, SQLException {
        EndpointJson keyed = EndpointJson.USUAL.flow("{\"key\":\"{{input.key}}\",\"max_concurrency\":1000}");
        return deliver(receiver.expect(scenario, count), keyed).keys(n -> n % keys);
    }

    /** The same for a scenario with an endpoint and arrivals of its own. */
    Delivery deliver(Arrivals arrivals, EndpointJson how) throws IOException, InterruptedException, SQLException {
        Service service = service();
        String endpoint = "bench-" + arrivals.scenario() + "-" + workspace.stamp()
                + arrivals.path().replace("/", "-");
        var api = new ApiClient(service);
        api.createEndpoint(how.registration(endpoint, "http://" + receiver.host() + arrivals.path()));
        return new Delivery(service, api, new JobJson(endpoint), arrivals);
    }

    /** Waits for all jobs of a scenario and a little longer, and reports what is missing or came twice. */
    void awaitArrivals(Arrivals arrivals, Duration limit) throws InterruptedException {
        if (arrivals.awaitAll(limit)) {
            Thread.sleep(WATCH_FOR_DUPLICATES);
        }
        // What a warm-up loses is a problem at the end, but no figure.
        if (!arrivals.scenario().endsWith("warm-up")) {
            int again = arrivals.deliveredAgain() + arrivals.executedAgain();
            report.add(arrivals.scenario(), "missing", arrivals.missing(), "jobs");
            report.add(arrivals.scenario(), "came again", again, "arrivals");
        }
    }

    /** Looks at all arrivals once more, at the end, because a second delivery may come late. */
    void verifyArrivals() {
        for (Arrivals arrivals : receiver.all()) {
            problemIfAny(arrivals, arrivals.missing(), "jobs were lost");
            problemIfAny(arrivals, arrivals.wronglyDeliveredAgain(), "deliveries repeated one of the same execution");
            problemIfAny(arrivals, arrivals.executedAgain(), "deliveries came from a second execution of a job");
        }
        if (receiver.strays() > 0) {
            report.problem("receiver", receiver.strays() + " requests came that no scenario expected");
        }
    }

    @Override
    public void close() throws IOException {
        stopPrograms();
        server.ifPresent(DatabaseServer::close);
        receiver.close();
        if (options.keep()) {
            System.err.println("Kept " + workspace.path());
        } else {
            workspace.delete();
        }
    }

    private void problemIfAny(Arrivals arrivals, int count, String what) {
        if (count > 0) {
            report.problem(arrivals.scenario(), count + " " + what);
        }
    }

    private static Service running(URI url, String apiKey) {
        int port = url.getPort() < 0 ? 80 : url.getPort();
        return new Service(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), apiKey);
    }
}
