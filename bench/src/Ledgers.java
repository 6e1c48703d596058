import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the ledgers of some schedules say about their ticks.
 *
 * @param lines all lines
 * @param expected how many lines there should be
 * @param gaps how many of those are missing
 */
record Ledgers(List<Line> lines, int expected, int gaps) {
    /** What became of one tick. */
    record Line(String outcome, long latenessMillis) {}

    /** How many ticks the schedule had so far, and how many of them are not in the ledger. */
    record Gaps(int expected, int missing) {}

    static Ledgers read(ApiClient api, List<String> jobs) throws IOException, InterruptedException {
        List<Line> lines = new ArrayList<>();
        int expected = 0;
        int missing = 0;
        for (String job : jobs) {
            lines.addAll(api.ledger(job));
            Gaps gaps = api.gaps(job);
            expected += gaps.expected();
            missing += gaps.missing();
        }
        return new Ledgers(lines, expected, missing);
    }

    Percentiles lateness() {
        return Percentiles.of(lines.stream().mapToLong(line -> line.latenessMillis() * 1_000_000));
    }

    /** Adds all but the lateness to a report, and a problem when the ledger is not complete. */
    void addTo(Report report, String scenario, int due) {
        long others =
                lines.stream().filter(line -> !line.outcome().equals("FIRED")).count();
        report.add(scenario, "ticks in the ledger", lines.size(), "ticks");
        report.add(scenario, "not fired", others, "ticks");
        report.add(scenario, "gaps", gaps, "ticks");
        if (gaps > 0) {
            report.problem(scenario, gaps + " ticks are not in the ledger");
        }
        if (lines.size() != due || expected != due) {
            report.problem(
                    scenario, due + " ticks were due, but the ledger has " + lines.size() + " and expects " + expected);
        }
    }
}
