package io.taskexec.dispatch;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/** Which addresses deliveries may go to ({@code TE_EGRESS_*}). */
@ConfigMapping(prefix = "te.egress")
public interface EgressConfig {
    /** What is allowed where no CIDR says otherwise. */
    @WithDefault("PRIVATE")
    Mode mode();

    /** Ranges or single addresses allowed on top of the mode; metadata and link-local addresses stay denied. */
    Optional<List<String>> allowCidrs();

    /** Ranges or single addresses denied whatever else allows them. */
    Optional<List<String>> denyCidrs();

    /** How far a delivery may reach. */
    enum Mode {
        /** Only the public internet. */
        PUBLIC,
        /** Private ranges too, since services live there. */
        PRIVATE,
        /** The machine itself too, for development. */
        OPEN
    }
}
