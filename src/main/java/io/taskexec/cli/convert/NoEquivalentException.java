package io.taskexec.cli.convert;

/** A part of a schedule cannot be expressed; the message is the reason. */
final class NoEquivalentException extends Exception {
    private static final long serialVersionUID = 1;

    NoEquivalentException(String reason) {
        super(reason, null, false, false);
    }
}
