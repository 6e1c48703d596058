package io.taskexec.cli.client;

/** Exit codes of commands that use a server; docs/cli.md has the table. */
public final class ExitCode {
    /** Success. */
    public static final int DONE = 0;

    /** The server refused the request, or a part of it failed. */
    public static final int REFUSED = 1;

    /** The arguments or a file are not valid; no request was sent. */
    public static final int USAGE = 2;

    /** A dry run found changes. */
    public static final int CHANGES = 3;

    /** The server does not answer, or is not taskexec. */
    public static final int NO_ANSWER = 4;

    /** The wait timed out. */
    public static final int TIMED_OUT = 5;

    /** The command was interrupted. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
