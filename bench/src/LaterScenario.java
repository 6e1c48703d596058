import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** What very many jobs that are due another day cost those that are created and delivered now. */
final class LaterScenario implements Scenario {
    private static final String NAME = "later";
    private static final double MIB = 1024.0 * 1024.0;

    private static final String CREATED = "single jobs created";
    private static final String CLAIM = "claim of an execution";
    private static final String NEXT_DUE = "look for what is due next";
    private static final String MEMORY = "resident memory";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.least("jobs created beside many later ones, against without", NAME, with(CREATED))
                        .against(NAME, without(CREATED), 0.9),
                most("claim beside many later ones, against without", CLAIM, 1.2),
                most("look for what is due next beside many later ones, against without", NEXT_DUE, 1.5),
                most("resident memory beside many later ones, against without", MEMORY, 1.05));
    }

    private static Wanted most(String what, String figure, double bound) {
        return Wanted.most(what, NAME, with(figure), 0).against(NAME, without(figure), bound);
    }

    private static String with(String figure) {
        return "with later jobs: " + figure;
    }

    private static String without(String figure) {
        return "without: " + figure;
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("later is left out: the program was not started here.");
            return;
        }
        int jobs = session.options().drainJobs() / 2;
        double created = Drain.warmUp(session, "later-warm-up", Drain.warmUpJobs(jobs));
        var _ = CreateScenario.create(session, "later-create-warm-up", CreateScenario.warmUpJobs(jobs));
        measure(session, "without", jobs, created);
        Database database = session.database().orElseThrow();
        String job = HistoryScenario.example(session.deliverTo(NAME, 0), database);
        int many = session.options().backlog();
        StoredJobs.addLive(database, job, 0, many, "now() + interval '1 day' + n * interval '1 millisecond'");
        database.execute("VACUUM ANALYZE exec_live");
        database.execute("VACUUM ANALYZE jobs");
        session.report().add(NAME, "jobs that are due later", many, "");
        measure(session, "with later jobs", jobs, created);
        session.stopPrograms();
        database.execute("TRUNCATE exec_live");
    }

    private static void measure(Session session, String when, int jobs, double created)
            throws IOException, InterruptedException, SQLException {
        Report report = session.report();
        session.server().settle(session.database().orElseThrow());
        report.add(
                NAME,
                when + ": " + CREATED,
                CreateScenario.create(session, "later-create-" + when.replace(' ', '-'), jobs)
                        .perSecond(),
                "1/s");
        ClaimCost.reset(session);
        Drain drain = Drain.run(session, "later-drain-" + when.replace(' ', '-'), jobs, created);
        report.add(NAME, when + ": jobs delivered", drain.delivered(), "1/s");
        report.add(NAME, when + ": " + CLAIM, ClaimCost.micros(session), "us");
        report.add(NAME, when + ": " + NEXT_DUE, ClaimCost.lookMicros(session), "us");
        report.add(
                NAME,
                when + ": " + MEMORY,
                MemorySample.of(
                                        session.programs().getFirst().process(),
                                        session.server().directory())
                                .program()
                        / MIB,
                "MiB");
    }
}
