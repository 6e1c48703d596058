package io.taskexec.api.web;

import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notes that a write said again what held already, as clients do every few seconds: the audit log leaves that out.
 */
public final class Repetition {
    private static final String PROPERTY = Repetition.class.getName();

    private final AtomicBoolean noted = new AtomicBoolean();

    private Repetition() {}

    /** Attached to the request at once, since what completes in another thread has no request. */
    public static Repetition attachTo(ContainerRequestContext request) {
        var repetition = new Repetition();
        request.setProperty(PROPERTY, repetition);
        return repetition;
    }

    public void note(boolean isOne) {
        noted.set(isOne);
    }

    public static boolean isNoted(ContainerRequestContext request) {
        return request.getProperty(PROPERTY) instanceof Repetition repetition && repetition.noted.get();
    }
}
