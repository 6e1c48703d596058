package io.taskexec.store.sql;

/**
 * A statement that changes executions, in two forms: alone, and with one CTE more that writes the events of its
 * changes, so that an event exists exactly when its change does. The form is chosen once at the start, so that events
 * cost nothing where they are switched off.
 */
public record EventedStatement(String alone, String withEvents) {
    private static final String EVENTS = """
            , events AS (
              INSERT INTO event_outbox %s)
            """;

    private static final String CREATED = """
            (execution_id, job_id, kind, attempt, next_run_at)
              SELECT execution_id, job_id, 'CREATED', 0, CASE visible_at WHEN 'infinity' THEN run_at ELSE visible_at END
              FROM created
            """;

    /**
     * Makes a statement whose CTEs return the changes.
     *
     * @param ctes all that stands before the last part
     * @param events the columns of the outbox and a SELECT of them from the CTEs; it must read a row after that was
     *     changed, so that its number is higher than those of all changes before
     */
    public static EventedStatement of(String ctes, String events, String last) {
        return new EventedStatement(ctes + last, ctes.stripTrailing() + EVENTS.formatted(events) + last);
    }

    /**
     * Makes a statement whose last part inserts executions. It becomes a CTE itself where another part needs its rows.
     *
     * @param ctes all that stands before the last part, empty for none
     * @param insert inserts into {@code exec_live}, without RETURNING
     * @param returned what the statement returns; empty for the number of rows alone
     */
    public static EventedStatement creating(String ctes, String insert, String returned) {
        var before = ctes.isEmpty() ? "WITH " : ctes.stripTrailing() + ", ";
        return new EventedStatement(
                ctes + insert + (returned.isEmpty() ? "" : "RETURNING " + returned + "\n"),
                before
                        + created(insert)
                        + EVENTS.formatted(CREATED)
                        + "SELECT " + (returned.isEmpty() ? "1" : returned) + " FROM created\n");
    }

    /**
     * Makes a statement that inserts executions, and whose last part, which may read them as {@code created}, returns
     * something else.
     *
     * @param ctes all that stands before the insert
     * @param insert inserts into {@code exec_live}, without RETURNING
     */
    public static EventedStatement creatingThen(String ctes, String insert, String last) {
        return of(ctes.stripTrailing() + ", " + created(insert) + "\n", CREATED, last);
    }

    private static String created(String insert) {
        return "created AS (\n"
                + insert.indent(2)
                + "  RETURNING execution_id, job_id, visible_at, run_at, created_at\n)";
    }

    String form(boolean events) {
        return events ? withEvents : alone;
    }
}
