import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How fast the first jobs of a process are delivered that has just started, with a database that has seen nothing else:
 * what a user sees first, and after each deployment.
 */
final class ColdScenario implements Scenario {
    private static final String NAME = "cold";
    private static final String CLASSES = "cold-classes";
    private static final int JOBS = 60_000;
    private static final int END_SECONDS_MAX = 30;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String NOT_RECORDED = "SELECT count(*) FROM exec_live";

    static final String DELIVERED = DrainScenario.DELIVERED;
    static final String WITHOUT_CACHE = "jobs delivered without an AOT cache";
    static final String FIRST_COMPILER = "jobs delivered with the first compiler only";
    static final String BY_DB_SCHEDULER = "jobs delivered by db-scheduler";
    static final String BY_FLOOR = "jobs delivered by the floor";

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.leavesOut(NAME)) {
            return;
        }
        Program.verifyCache(session.options(), session.report(), NAME);
        ColdSide.compile(session.workspace().directory(CLASSES));
        // The receiver is the same for all, so it has done its own compiling before.
        RawScenario.warmUp(session);
        taskexec(session, "cold-usual", DELIVERED, "");
        if (!session.options().quick()) {
            taskexec(session, "cold-without-cache", WITHOUT_CACHE, "-XX:AOTMode=off");
            taskexec(session, "cold-first-compiler", FIRST_COMPILER, "-XX:TieredStopAtLevel=1");
        }
        dbScheduler(session);
        floor(session);
    }

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.least("first jobs of a fresh process, against db-scheduler", NAME, DELIVERED)
                        .against(NAME, BY_DB_SCHEDULER, 3.5),
                Wanted.least("first jobs of a fresh process, against the floor", NAME, DELIVERED)
                        .against(NAME, BY_FLOOR, 0.75));
    }

    private static void taskexec(Session session, String side, String figure, String javaOptions)
            throws IOException, InterruptedException, SQLException {
        Database database = session.server().create(side.replace('-', '_'));
        Arrivals arrivals = session.receiver().expect(side, JOBS);
        Program api = serve(session, database, side, "api,scheduler", "");
        var client = new ApiClient(api.service());
        client.createEndpoint(EndpointJson.USUAL.registration(
                side, "http://" + session.receiver().host() + arrivals.path()));
        var jobs = new JobJson(side);
        client.createJobs(JOBS, jobs::immediate);
        api.stop();
        session.server().settle(database);
        Program worker = serve(session, database, side, "worker", javaOptions);
        session.awaitArrivals(arrivals, LIMIT);
        database.awaitNone(NOT_RECORDED, END_SECONDS_MAX);
        session.report().add(NAME, figure, arrivals.perSecond(), "1/s");
        session.report()
                .add(
                        NAME,
                        figure.replace("jobs delivered", "processor time per job, the process"),
                        ProcessorTime.millis(worker.process()) * 1e3 / JOBS,
                        "us");
        worker.stop();
        session.server().drop(database);
    }

    private static Program serve(Session session, Database database, String side, String roles, String javaOptions)
            throws IOException, InterruptedException {
        return Program.serve(
                session.options(),
                roles,
                database,
                session.workspace().directory(side + ".log"),
                Map.of(Program.JAVA_OPTIONS, javaOptions));
    }

    private static void dbScheduler(Session session) throws IOException, InterruptedException, SQLException {
        Database database = session.server().create("cold_db_scheduler");
        DbScheduler.queue(database, JOBS);
        other(session, ColdSide.DB_SCHEDULER, database, BY_DB_SCHEDULER);
    }

    private static void floor(Session session) throws IOException, InterruptedException, SQLException {
        Database database = session.server().create("cold_floor");
        Program.migrate(session.options(), database, session.workspace().directory("migrate.log"));
        FloorScenario.create(database, JOBS);
        other(session, ColdSide.FLOOR, database, BY_FLOOR);
    }

    private static void other(Session session, String side, Database database, String figure)
            throws IOException, InterruptedException, SQLException {
        session.server().settle(database);
        Arrivals arrivals = session.receiver().expect("cold-" + side, JOBS);
        Path classes = session.workspace().directory(CLASSES);
        Process process =
                ColdSide.start(classes, side, database, session.receiver().address(), arrivals);
        session.awaitArrivals(arrivals, LIMIT);
        session.report().add(NAME, figure, arrivals.perSecond(), "1/s");
        process.getOutputStream().close();
        if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        session.server().drop(database);
    }
}
