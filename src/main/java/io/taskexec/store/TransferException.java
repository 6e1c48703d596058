package io.taskexec.store;

import java.sql.SQLException;

/** An export or an import cannot go on; the message is a sentence for whoever runs it. */
public final class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TransferException(String message) {
        super(message);
    }

    /** Tells what the database says, without where in its sources it says so. */
    static TransferException of(String what, SQLException cause) {
        var reason = String.valueOf(cause.getMessage()).lines().findFirst().orElse("it gives no reason");
        var told = new TransferException(what + ": " + reason);
        told.initCause(cause);
        return told;
    }
}
