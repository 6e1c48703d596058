package io.taskexec.worker;

import io.taskexec.model.Uuid7;
import jakarta.inject.Singleton;
import java.util.UUID;

/** The identity of the worker in this process: a new one with each start. */
@Singleton
final class WorkerIdentity {
    private final UUID id = Uuid7.next();

    UUID id() {
        return id;
    }

    /** The name of the machine or pod, for people. */
    static String host() {
        var name = System.getenv("HOSTNAME");
        return name == null ? "localhost" : name;
    }
}
