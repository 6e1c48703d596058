package io.taskexec.api.connection;

import io.quarkus.arc.Unremovable;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.time.Duration;

/** Settings of the connections that clients open, to the API and to health and metrics alike. */
@ConfigMapping(prefix = "te.listen")
@Unremovable // No bean has it: ConnectionLimits looks it up.
public interface ConnectionConfig {
    @Setting(
            value = "How long a client may take to send the head of a request, from the connection or its first byte"
                    + " on, and"
                    + " as long again for its body. Then it is cut off.",
            unit = "s",
            min = 1,
            max = 3600)
    @WithDefault("30")
    int requestTimeoutSec();

    @Setting(
            value = "How long a connection may be open with nothing sent in either direction. A proxy in front should"
                    + " close"
                    + " its own earlier. A stream of events sends something every 15 seconds.",
            unit = "s",
            min = 20,
            max = 3600)
    @WithDefault("120")
    int idleTimeoutSec();

    @Setting(
            value = "How many connections may be open at each of the two ports; more are closed at once.",
            unit = "connections",
            min = 1,
            max = 1_000_000)
    @WithDefault("5000")
    int maxConnections();

    @Setting(
            value = "How many of them one IPv4 address or IPv6 /64 may have; 0 means no limit, as a proxy in front"
                    + " needs it.",
            unit = "connections",
            min = 0,
            max = 1_000_000)
    @WithDefault("0")
    int maxConnectionsPerAddress();

    /** The limit for each part of a request. */
    default Duration requestTimeout() {
        return Duration.ofSeconds(requestTimeoutSec());
    }
}
