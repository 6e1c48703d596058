package io.taskexec.api.web;

import java.time.Instant;

/** A named resource as it is shown: its version and its moment of creation together tell all its states apart. */
public interface Versioned {
    int version();

    Instant createdAt();
}
