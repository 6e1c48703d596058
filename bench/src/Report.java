import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The measured figures, and what went wrong. */
final class Report {
    private final List<Row> rows = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /** One measured figure; the ratio is empty where there is nothing to compare with. */
    private record Row(String scenario, String figure, double value, String unit, OptionalDouble ratio) {
        String shownValue() {
            double size = Math.abs(value);
            String format = value == Math.rint(value) || size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
            return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
        }

        String shownRatio() {
            return ratio.isPresent() ? String.format(Locale.ROOT, "%.3g", ratio.getAsDouble()) : "";
        }

        String shown(String format) {
            return String.format(Locale.ROOT, format, scenario, figure, shownValue(), unit, shownRatio());
        }
    }

    void add(String scenario, String figure, double value, String unit) {
        rows.add(new Row(scenario, figure, value, unit, OptionalDouble.empty()));
    }

    /** Adds a figure that is shown as a multiple of one of the raw scenario, if that one was measured. */
    void addAgainstRaw(String scenario, String figure, double value, String unit, String rawFigure) {
        OptionalDouble ratio = rows.stream()
                .filter(row -> row.scenario.equals("raw") && row.figure.equals(rawFigure))
                .mapToDouble(row -> value / row.value)
                .findFirst();
        rows.add(new Row(scenario, figure, value, unit, ratio));
    }

    /** Adds how many came before their time, which is a problem when there are any. */
    void addEarly(String scenario, long count) {
        add(scenario, "arrived early", count, "jobs");
        if (count > 0) {
            problem(scenario, count + " jobs arrived before their run time");
        }
    }

    void problem(String scenario, String what) {
        problems.add(scenario + ": " + what);
    }

    List<String> problems() {
        return List.copyOf(problems);
    }

    String table() {
        String format = "%-16s %-40s %12s %-8s %9s%n";
        var text = new StringBuilder(heading()).append("\n\n");
        text.append(String.format(Locale.ROOT, format, "scenario", "figure", "value", "unit", "x raw"));
        rows.forEach(row -> text.append(row.shown(format)));
        problems.forEach(problem -> text.append("PROBLEM  ").append(problem).append('\n'));
        return text.toString();
    }

    String markdown() {
        var text = new StringBuilder(heading()).append("\n\n");
        text.append("| scenario | figure | value | unit | x raw |\n| --- | --- | ---: | --- | ---: |\n");
        rows.forEach(row -> text.append(row.shown("| %s | %s | %s | %s | %s |%n")));
        problems.forEach(
                problem -> text.append("\n**Problem**: ").append(problem).append('\n'));
        return text.toString();
    }

    private static String heading() {
        return String.format(
                "Commit %s, %s, %d processors, Java %s, %s %s",
                System.getProperty("bench.commit", "unknown"),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                Runtime.getRuntime().availableProcessors(),
                Runtime.version().feature(),
                System.getProperty("os.name"),
                System.getProperty("os.arch"));
    }
}
