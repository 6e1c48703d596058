package io.taskexec.store.sql;

/**
 * A statement that changes executions, in two forms: alone, and with one CTE more that writes the events of what it
 * changes, so that an event exists exactly when its change does. Which one is run is chosen once at the start, so that
 * events cost nothing where nobody wants them.
 */
public record Change(String alone, String withEvents) {
    private static final String EVENTS = """
            , events AS (
              INSERT INTO event_outbox %s)
            """;

    private static final String CREATED = """
            (execution_id, job_id, kind, attempt, next_run_at)
              SELECT execution_id, job_id, 'CREATED', 0, visible_at FROM created
            """;

    /**
     * A statement whose CTEs give what was changed.
     *
     * @param ctes all that stands before the last part
     * @param events the columns of the outbox and a SELECT of them from the CTEs; it must read a row after that was
     *     changed, so that its number is higher than those of all changes before
     */
    public static Change of(String ctes, String events, String last) {
        return new Change(ctes + last, ctes + EVENTS.formatted(events) + last);
    }

    /**
     * A statement whose last part inserts executions. It becomes a CTE itself where another part needs its rows.
     *
     * @param ctes all that stands before the last part, empty for none
     * @param insert inserts into {@code exec_live}, without RETURNING
     * @param returned what the statement gives; empty for the number of rows alone
     */
    public static Change creating(String ctes, String insert, String returned) {
        var inserted = "created AS (\n" + insert + "RETURNING execution_id, job_id, visible_at, run_at, created_at\n)\n";
        return new Change(
                ctes + insert + (returned.isEmpty() ? "" : "RETURNING " + returned + "\n"),
                (ctes.isEmpty() ? "WITH " : ctes + ", ")
                        + inserted
                        + EVENTS.formatted(CREATED)
                        + "SELECT " + (returned.isEmpty() ? "1" : returned) + " FROM created\n");
    }

    /**
     * A statement that inserts executions, and whose last part, which may read them as {@code created}, gives something else.
     *
     * @param ctes all that stands before the insert
     * @param insert inserts into {@code exec_live}, without RETURNING
     */
    public static Change creatingThen(String ctes, String insert, String last) {
        return of(
                ctes + ", created AS (\n" + insert + "RETURNING execution_id, job_id, visible_at, run_at, created_at\n)\n",
                CREATED,
                last);
    }

    String form(boolean events) {
        return events ? withEvents : alone;
    }
}
