package io.taskexec.cli.text;

/** A text has errors; the message has the place and the reason. */
public final class MalformedTextException extends Exception {
    private static final long serialVersionUID = 1;

    public MalformedTextException(String message) {
        super(message, null, false, false);
    }
}
