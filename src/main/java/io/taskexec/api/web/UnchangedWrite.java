package io.taskexec.api.web;

import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notes that a write said again what held already, as clients do every few seconds: the audit log leaves that out.
 */
public final class UnchangedWrite {
    private static final String PROPERTY = UnchangedWrite.class.getName();

    private final AtomicBoolean noted = new AtomicBoolean();

    private UnchangedWrite() {}

    /** Attached to the request at once, since what completes in another thread has no request. */
    public static UnchangedWrite attachTo(ContainerRequestContext request) {
        var unchanged = new UnchangedWrite();
        request.setProperty(PROPERTY, unchanged);
        return unchanged;
    }

    public void note(boolean isOne) {
        noted.set(isOne);
    }

    public static boolean isNoted(ContainerRequestContext request) {
        return request.getProperty(PROPERTY) instanceof UnchangedWrite unchanged && unchanged.noted.get();
    }
}
