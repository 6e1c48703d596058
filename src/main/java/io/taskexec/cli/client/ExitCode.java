package io.taskexec.cli.client;

/** What a command that talks to a server ends with; docs/cli.md has the table. */
public final class ExitCode {
    /** Done. */
    public static final int DONE = 0;

    /** The server refuses, or a part of what was asked for is not done. */
    public static final int REFUSED = 1;

    /** The arguments or a file are wrong; nothing was asked of a server. */
    public static final int USAGE = 2;

    /** A dry run found that there is something to change. */
    public static final int CHANGES = 3;

    /** Nobody answers, or somebody who is no taskexec. */
    public static final int NO_ANSWER = 4;

    /** What was waited for has not ended in time. */
    public static final int TIMED_OUT = 5;

    /** Somebody interrupted it. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
