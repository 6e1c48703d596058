package io.taskexec.clock;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** What a command says about the virtual clock; no setting, since only {@code dev} has one. */
@ConfigMapping(prefix = "taskexec.clock")
public interface ClockConfig {
    /** The property that commands set. */
    String PROPERTY = "taskexec.clock.mode";

    @WithDefault("none")
    Mode mode();

    /** Kinds of databases. */
    enum Mode {
        /** The database has no virtual clock. */
        NONE,
        /** The clock may have been moved by an earlier start, and must not have been. */
        UNMOVED,
        /** The clock can be moved. */
        VIRTUAL
    }
}
