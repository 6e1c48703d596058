package io.taskexec.dispatch;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** How outgoing HTTP requests present themselves ({@code TE_HTTP_*}). */
@ConfigMapping(prefix = "te.http")
interface HttpConfig {
    /** The User-Agent of requests whose endpoint sets none. */
    @WithDefault("taskexec/${quarkus.application.version:dev}")
    String userAgent();
}
