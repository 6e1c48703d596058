import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** The measured figures, and what went wrong. */
final class Report {
    private static final String LINE = "%-20s %-45s %12s %-8s %9s%n";

    private static final String INTRODUCTION = """
            Measured by `./bench/run`, which writes this page; [bench/README.md](../bench/README.md) says what the figures
            mean. **Ratios count**: both sides of each were measured in one run, on one machine, with one database server
            whose commits are durable. db-scheduler deletes a job that is done, which is its way; taskexec and the floor
            keep the job, its execution and the answer.
            """;

    private final List<Row> rows = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final double loadBefore = Machine.load();
    private String postgresql = "of somebody else";

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
        add(new Row(scenario, figure, value, unit, OptionalDouble.empty()));
    }

    /** Shown at once too: a run takes long, and may be interrupted. */
    private void add(Row row) {
        rows.add(row);
        System.err.print("  " + row.shown(LINE));
    }

    /** Adds a figure that is shown as a multiple of one of the raw scenario, if that one was measured. */
    void addAgainstRaw(String scenario, String figure, double value, String unit, String rawFigure) {
        OptionalDouble ratio = rows.stream()
                .filter(row -> row.scenario.equals("raw") && row.figure.equals(rawFigure))
                .mapToDouble(row -> value / row.value)
                .findFirst();
        add(new Row(scenario, figure, value, unit, ratio));
    }

    /** Adds how many came before their time, which is a problem when there are any. */
    void addEarly(String scenario, long count) {
        add(scenario, "arrived early", count, "jobs");
        if (count > 0) {
            problem(scenario, count + " jobs arrived before their run time");
        }
    }

    private Optional<Row> row(Wanted.Figure figure) {
        return rows.stream()
                .filter(row -> row.scenario.equals(figure.scenario()) && row.figure.equals(figure.name()))
                .findFirst();
    }

    /** What is wanted and was measured, line by line, with its ratios. */
    private List<String> judged(Options options, String format) {
        List<String> lines = new ArrayList<>();
        for (Wanted wanted : Wanted.all(options)) {
            Optional<Row> measured = row(wanted.measured());
            Optional<Row> reference = wanted.reference().flatMap(this::row);
            if (measured.isPresent()
                    && reference.isPresent() == wanted.reference().isPresent()) {
                Row row = measured.get();
                double ratio = reference.map(other -> row.value / other.value).orElse(Double.NaN);
                lines.add(String.format(
                        Locale.ROOT,
                        format,
                        wanted.what(),
                        row.shownValue() + " " + row.unit,
                        reference
                                .map(other -> other.shownValue() + " " + other.unit)
                                .orElse(""),
                        reference
                                .map(_ -> String.format(Locale.ROOT, "%.2f", ratio))
                                .orElse(""),
                        wanted.shownBound(row.unit),
                        wanted.isMet(row.value, ratio) ? "yes" : "no"));
            }
        }
        return lines;
    }

    void usedPostgresql(String version) {
        postgresql = version;
    }

    void problem(String scenario, String what) {
        problems.add(scenario + ": " + what);
        System.err.println("  PROBLEM " + scenario + ": " + what);
    }

    List<String> problems() {
        return List.copyOf(problems);
    }

    String table(Options options) {
        var text = new StringBuilder(heading(" ")).append("\n\n");
        text.append(String.format(Locale.ROOT, LINE, "scenario", "figure", "value", "unit", "x raw"));
        rows.forEach(row -> text.append(row.shown(LINE)));
        text.append('\n');
        judged(options, "%-75s %15s %15s %7s %18s %4s%n").forEach(text::append);
        problems.forEach(problem -> text.append("PROBLEM  ").append(problem).append('\n'));
        return text.toString();
    }

    String markdown(Options options) {
        var text = new StringBuilder("# Figures\n\n").append(INTRODUCTION).append('\n');
        text.append(heading("\n")).append(".\n\n");
        text.append("| what | measured | against | ratio | wanted | met |\n| --- | ---: | ---: | ---: | --- | --- |\n");
        judged(options, "| %s | %s | %s | %s | %s | %s |%n").forEach(text::append);
        problems.forEach(problem -> text.append("\n**Problem**: ")
                .append(problem.lines().findFirst().orElseThrow())
                .append('\n'));
        text.append("\n## All figures\n\n");
        text.append("| scenario | figure | value | unit | x raw |\n| --- | --- | ---: | --- | ---: |\n");
        rows.forEach(row -> text.append(row.shown("| %s | %s | %s | %s | %s |%n")));
        return text.toString();
    }

    /** The lines of documents are short. */
    private String heading(String lineEnd) {
        return String.format(
                Locale.ROOT,
                "Commit %s, %s;%s%s;%sload average %.1f when the run began",
                System.getProperty("bench.commit", "unknown"),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                lineEnd,
                Machine.description(postgresql),
                lineEnd,
                loadBefore);
    }
}
