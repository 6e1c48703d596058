package io.taskexec.dispatch.egress;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.util.List;
import java.util.Optional;

/** Settings of the addresses that deliveries may go to ({@code TE_EGRESS_*}). */
@ConfigMapping(prefix = "te.egress")
public interface EgressConfig {
    @Setting("[Which addresses may be called](#which-addresses-may-be-called).")
    @WithDefault("PRIVATE")
    Mode mode();

    @Setting("Ranges or addresses allowed on top of the mode. Metadata and link-local addresses stay denied.")
    Optional<List<String>> allowCidrs();

    @Setting("Ranges or addresses denied whatever else allows them.")
    Optional<List<String>> denyCidrs();

    /** The reach of deliveries. */
    enum Mode {
        /** Only the public internet. */
        PUBLIC,
        /** Private ranges too, since services live there. */
        PRIVATE,
        /** The machine itself too, for development. */
        OPEN
    }
}
