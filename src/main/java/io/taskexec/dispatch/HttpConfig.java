package io.taskexec.dispatch;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/** How outgoing HTTP requests present themselves, and which way they go ({@code TE_HTTP_*}). */
@ConfigMapping(prefix = "te.http")
public interface HttpConfig {
    /** The User-Agent of requests whose endpoint sets none. */
    @WithDefault("taskexec/${quarkus.application.version:dev}")
    String userAgent();

    /** TE_HTTP_PROXY: {@code http://[user:password@]host:port}, which all calls go through. */
    Optional<String> proxy();

    /** TE_HTTP_NO_PROXY: names, addresses and ranges that are called without the proxy. */
    Optional<List<String>> noProxy();

    /** TE_HTTP_CA_FILE: PEM with authorities that are trusted beside those of the JVM. */
    Optional<String> caFile();

    /** TE_HTTP_MAX_CONNECTIONS_PER_HOST: of this process, to one address of a host. */
    @WithDefault("256")
    int maxConnectionsPerHost();
}
