import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** What very many jobs that are due another day cost those that are created and delivered now. */
final class LaterScenario implements Scenario {
    private static final String NAME = "later";
    private static final String WITHOUT = "without";
    private static final String WITH = "with later jobs";

    private static final String CREATED = "single jobs created";
    private static final String CLAIM = "claim of an execution";
    private static final String NEXT_DUE = "look for what is due next";
    private static final String MEMORY = "resident memory";

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.least("jobs created beside many later ones, against without", NAME, figure(WITH, CREATED))
                        .against(NAME, figure(WITHOUT, CREATED), 0.9),
                most("claim beside many later ones, against without", CLAIM, 1.2),
                most("look for what is due next beside many later ones, against without", NEXT_DUE, 1.5),
                most("resident memory beside many later ones, against without", MEMORY, 1.05));
    }

    private static Wanted most(String what, String figure, double bound) {
        return Wanted.most(what, NAME, figure(WITH, figure), 0).against(NAME, figure(WITHOUT, figure), bound);
    }

    private static String figure(String when, String figure) {
        return when + ": " + figure;
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
        measure(session, WITHOUT, jobs, created);
        Database database = session.database().orElseThrow();
        String job = HistoryScenario.example(session.deliverTo(NAME, 0), database);
        int many = session.options().backlog();
        StoredJobs.addLive(database, job, 0, many, "now() + interval '1 day' + n * interval '1 millisecond'");
        database.execute("VACUUM ANALYZE exec_live");
        database.execute("VACUUM ANALYZE jobs");
        session.report().add(NAME, "jobs that are due later", many, "");
        measure(session, WITH, jobs, created);
        session.stopPrograms();
        database.execute("TRUNCATE exec_live");
    }

    private static void measure(Session session, String when, int jobs, double created)
            throws IOException, InterruptedException, SQLException {
        String suffix = "-" + when.replace(' ', '-');
        session.server().settle(session.database().orElseThrow());
        LoadResult creation = CreateScenario.create(session, "later-create" + suffix, jobs);
        ClaimCost.reset(session);
        Drain drain = Drain.run(session, "later-drain" + suffix, jobs, created);
        Report report = session.report();
        report.add(NAME, figure(when, CREATED), creation.perSecond(), "1/s");
        report.add(NAME, figure(when, "jobs delivered"), drain.delivered(), "1/s");
        report.add(NAME, figure(when, CLAIM), ClaimCost.micros(session), "us");
        report.add(NAME, figure(when, NEXT_DUE), ClaimCost.lookMicros(session), "us");
        report.add(NAME, figure(when, MEMORY), MemorySample.programMib(session), "MiB");
    }
}
