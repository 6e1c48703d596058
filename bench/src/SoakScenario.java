import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Whether latency, memory and connections stay as they are in a long time at a steady rate. */
final class SoakScenario implements Scenario {
    private static final String NAME = "soak";
    private static final int PARTS = 12;
    private static final int QUARTER = PARTS / 4;
    private static final int PART_SECONDS_MIN = 5;
    private static final int WARM_UP_SECONDS = 60;
    private static final double MIB = 1024.0 * 1024.0;

    /** What is measured of each part of the time. */
    private enum Figure {
        ARRIVALS("arrivals", "1/s", Part::perSecond),
        P50("p50", "ms", part -> part.times().millis(50)),
        P99("p99", "ms", part -> part.times().millis(99)),
        MEMORY("resident memory", "MiB", Part::memory),
        CONNECTIONS("connections to the database", "", Part::connections),
        DEAD("rows that no vacuum has removed", "", Part::dead),
        DATABASE("database", "MiB", Part::database);

        private final String shown;
        private final String unit;
        private final ToDoubleFunction<Part> value;

        Figure(String shown, String unit, ToDoubleFunction<Part> value) {
            this.shown = shown;
            this.unit = unit;
            this.value = value;
        }

        String first() {
            return "first quarter: " + shown;
        }

        String last() {
            return "last quarter: " + shown;
        }

        void addMean(Report report, String name, List<Part> parts) {
            report.add(NAME, name, parts.stream().mapToDouble(value).average().orElseThrow(), unit);
        }
    }

    private record Part(
            double perSecond, Percentiles times, double memory, double connections, double dead, double database) {}

    @Override
    public List<Wanted> wanted() {
        return List.of(
                Wanted.least("soak: arrivals, last quarter against first", NAME, Figure.ARRIVALS.last())
                        .against(NAME, Figure.ARRIVALS.first(), 0.98),
                mostGrowth(Figure.P99, 1.5),
                mostGrowth(Figure.MEMORY, 1.1),
                mostGrowth(Figure.CONNECTIONS, 1.2));
    }

    private static Wanted mostGrowth(Figure figure, double bound) {
        return Wanted.most("soak: " + figure.shown + ", last quarter against first", NAME, figure.last(), 0)
                .against(NAME, figure.first(), bound);
    }

    @Override
    public void run(Session session) throws IOException, InterruptedException, SQLException {
        if (session.options().url().isPresent()) {
            System.err.println("soak is left out: the program was not started here.");
            return;
        }
        var _ = send(session, "soak-warm-up", WARM_UP_SECONDS);
        int seconds = Math.max(PART_SECONDS_MIN, session.options().seconds() / PARTS);
        List<Part> parts = new ArrayList<>();
        try (var _ = session.options().openTransaction()
                ? OpenTransaction.begin(session.database().orElseThrow())
                : null) {
            for (int i = 1; i <= PARTS; i++) {
                Part part = send(session, "soak-" + i, seconds);
                parts.add(part);
                for (Figure figure : Figure.values()) {
                    figure.addMean(session.report(), "part " + i + ": " + figure.shown, List.of(part));
                }
            }
        }
        for (Figure figure : Figure.values()) {
            figure.addMean(session.report(), figure.first(), parts.subList(0, QUARTER));
            figure.addMean(session.report(), figure.last(), parts.subList(PARTS - QUARTER, PARTS));
        }
    }

    private static Part send(Session session, String name, int seconds)
            throws IOException, InterruptedException, SQLException {
        int perSecond = session.options().ratePerSecond();
        Delivery delivery = session.deliverTo(name, perSecond * seconds);
        Percentiles times = ImmediateJobs.send(session, List.of(delivery), perSecond, 0, () -> false)
                .getFirst();
        ProcessHandle program = session.programs().getFirst().process();
        Database database = session.database().orElseThrow();
        return new Part(
                delivery.arrivals().perSecond(),
                times,
                MemorySample.programMib(session),
                DatabaseConnections.of(List.of(program), database.port()),
                database.number(
                        "SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE relname = 'exec_live'"),
                database.number("SELECT pg_database_size(current_database())") / MIB);
    }
}
