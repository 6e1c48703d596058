package io.taskexec.dispatch.http;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import java.util.List;
import java.util.Optional;

/** Settings of deliveries by HTTP ({@code TE_HTTP_*}). */
@ConfigMapping(prefix = "te.http")
public interface HttpConfig {
    @Setting(value = "The `User-Agent` of calls whose endpoint sets none.", otherwise = "`taskexec/` and the version")
    @WithDefault("taskexec/${quarkus.application.version:dev}")
    String userAgent();

    @Setting(
            value = "`http://[user:password@]host:port`, which all calls [go"
                    + " through](delivery.md#connections); other characters are percent-encoded.",
            file = true,
            shown = Setting.Shown.WITHOUT_PASSWORD)
    Optional<String> proxy();

    @Setting("[What is called directly](#what-is-called-without-the-proxy).")
    Optional<List<String>> noProxy();

    @Setting(
            value = "PEM with the certificates of authorities that are trusted beside those of the JVM. Read"
                    + " once, at the start.",
            form = "path")
    Optional<String> caFile();

    @Setting(
            value = "[Connections](delivery.md#connections) of this process to one address of a host.",
            min = 1,
            max = 10_000)
    @WithDefault("256")
    int maxConnectionsPerHost();
}
