package io.taskexec.embedded;

/** Another process holds the data directory. */
public final class DataDirectoryInUseException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    DataDirectoryInUseException(String message) {
        super(message);
    }
}
