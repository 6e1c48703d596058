package io.taskexec.cli.text;

/** A file is not what it should be; the message says where and why. */
public final class MalformedTextException extends Exception {
    private static final long serialVersionUID = 1;

    public MalformedTextException(String message) {
        super(message, null, false, false);
    }
}
