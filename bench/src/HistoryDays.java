import java.sql.SQLException;

/** The partitions of history by day; none in a program that has no such. */
final class HistoryDays {
    private static final String MAKE_AND_DROP = "to_regproc('history_make_day') IS NOT NULL";

    private HistoryDays() {}

    /** Makes those of past days, which exist in a program that has run for so long. */
    static void make(Database database, int from, int to) throws SQLException {
        if (database.number("SELECT count(*) WHERE " + MAKE_AND_DROP) > 0) {
            database.execute("""
                    SELECT history_make_day((now() AT TIME ZONE 'UTC')::date - ago)
                    FROM generate_series(%d, %d) AS ago
                    """.formatted(from, to));
        }
    }

    /**
     * Drops the day that many days ago.
     *
     * @return milliseconds, not a number if it has none
     */
    static double drop(Database database, int ago) throws SQLException {
        if (database.number("SELECT count(*) WHERE " + MAKE_AND_DROP) == 0) {
            return Double.NaN;
        }
        String day = database.text("SELECT to_char((now() AT TIME ZONE 'UTC')::date - " + ago + ", 'YYYYMMDD')");
        long begin = System.nanoTime();
        String outcome = database.text(
                "SELECT outcome FROM history_drop_day('" + day + "', now() - interval '" + (ago - 1) + " days', 1000)");
        return outcome.equals("DROPPED") ? (System.nanoTime() - begin) / 1e6 : Double.NaN;
    }
}
