import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The load generator: runs the chosen scenarios one after the other and prints what they measured. */
final class Bench {
    private static final int EXIT_PROBLEM = 1;
    private static final int EXIT_USAGE = 2;

    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        if (List.of(arguments).contains("--help")) {
            System.out.print(Options.USAGE);
            return;
        }
        Path root = Path.of(System.getProperty("bench.root", "."));
        Options options;
        try {
            options = Options.parse(root, arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + Options.USAGE);
            System.exit(EXIT_USAGE);
            return;
        }
        Report report = run(root, options);
        System.out.print(report.table(options));
        if (options.out().isPresent()) {
            Files.writeString(options.out().get(), report.markdown(options));
        }
        System.exit(report.problems().isEmpty() ? 0 : EXIT_PROBLEM);
    }

    private static Report run(Path root, Options options) throws Exception {
        var report = new Report();
        // Not where they belong: for the launcher the documents are sources, so that its next start would be a build.
        Path figures = root.resolve("target/figures.md");
        if (options.out().isPresent()) {
            System.err.println("The figures are in " + figures + " until the end of the run.");
        }
        try (var session = new Session(root, options, report)) {
            for (Map.Entry<String, Scenario> entry : Scenario.all().entrySet()) {
                if (options.scenarios().contains(entry.getKey())) {
                    runOne(entry.getKey(), entry.getValue(), session);
                    // A run takes long and may be interrupted; what it has measured is not lost then.
                    if (options.out().isPresent()) {
                        Files.writeString(figures, report.markdown(options));
                    }
                }
            }
            session.verifyArrivals();
        }
        return report;
    }

    /** A scenario that breaks is a problem in the report; the others still run. */
    private static void runOne(String name, Scenario scenario, Session session) {
        System.err.println("Running " + name + " ...");
        try {
            session.beginScenario();
            scenario.run(session);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            session.report().problem(name, "interrupted");
        } catch (Exception e) {
            // Some exceptions of the network have no message; their name says it then.
            session.report().problem(name, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }
}
