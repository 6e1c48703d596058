package io.taskexec;

import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.taskexec.api.ApiConfig;
import io.taskexec.dispatch.EgressConfig;
import io.taskexec.dispatch.HttpConfig;
import io.taskexec.dispatch.RedisConfig;
import io.taskexec.metrics.MetricsConfig;
import io.taskexec.resolve.CloudEventsConfig;
import io.taskexec.resolve.ResolveConfig;
import io.taskexec.scheduler.SchedulerConfig;
import io.taskexec.store.DatabaseConfig;
import io.taskexec.store.EventsConfig;
import io.taskexec.store.StoreConfig;
import io.taskexec.stream.StreamConfig;
import io.taskexec.trace.TraceConfig;
import io.taskexec.worker.BreakerConfig;
import io.taskexec.worker.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads and checks every setting before anything starts, so that a wrong one costs a sentence and not a stack trace. */
final class Settings {
    /**
     * Settings that can be given as the path of a file, by the same name with {@code _FILE} behind it, and what they are
     * called as properties.
     */
    private static final Map<String, String> OF_FILES = Map.of(
            "TE_DATABASE_URL", "te.database-url",
            "TE_API_KEY", "te.api-key",
            "TE_SECRET_ENCRYPTION_KEY", "te.secret-encryption-key",
            "TE_EXPORT_KEY", "te.export-key",
            "TE_REDIS_CA", "te.redis-ca",
            "OTEL_EXPORTER_OTLP_HEADERS", "otel.exporter.otlp.headers",
            "TE_HTTP_PROXY", "te.http.proxy");

    private static final Pattern BAD_VALUE = Pattern.compile(
            "property ((?:te|otel)\\.\\S+) with the config value \"(.*?)\" threw.*?(?:SRCFG\\d+: )([^\\n]*)$");

    private final SmallRyeConfig config;

    private Settings(SmallRyeConfig config) {
        this.config = config;
    }

    /** Reads the settings; throws {@link StartRefusedException} for the first that cannot be used. */
    static Settings read() {
        OF_FILES.forEach(Settings::readFile);
        try {
            return new Settings(new SmallRyeConfigBuilder()
                    .addDefaultSources()
                    .addDefaultInterceptors()
                    .withMapping(ServerConfig.class)
                    .withMapping(ApiConfig.class)
                    .withMapping(WorkerConfig.class)
                    .withMapping(BreakerConfig.class)
                    .withMapping(SchedulerConfig.class)
                    .withMapping(ResolveConfig.class)
                    .withMapping(CloudEventsConfig.class)
                    .withMapping(StoreConfig.class)
                    .withMapping(EventsConfig.class)
                    .withMapping(StreamConfig.class)
                    .withMapping(DatabaseConfig.class)
                    .withMapping(EgressConfig.class)
                    .withMapping(RedisConfig.class)
                    .withMapping(HttpConfig.class)
                    .withMapping(MetricsConfig.class)
                    .withMapping(TraceConfig.class)
                    .withValidateUnknown(false)
                    .build());
        } catch (ConfigValidationException e) {
            throw new StartRefusedException(sentence(e.getProblem(0).getMessage()));
        }
    }

    ServerConfig server() {
        return of(ServerConfig.class);
    }

    <T> T of(Class<T> mapping) {
        return config.getConfigMapping(mapping);
    }

    private static void readFile(String name, String property) {
        var file = System.getenv(name + "_FILE");
        // `dev` has set these itself: a production database must not become the one of a development command.
        if (file == null || System.getProperty(property) != null) {
            return;
        }
        if (System.getenv(name) != null) {
            throw new StartRefusedException("Set %s or %s_FILE, not both.".formatted(name, name));
        }
        try {
            System.setProperty(property, Files.readString(Path.of(file)).strip());
        } catch (IOException e) {
            throw new StartRefusedException("%s_FILE names '%s', which cannot be read.".formatted(name, file));
        }
    }

    private static String withoutJava(String reason) {
        var choices = reason.indexOf("allowed values: ");
        return choices < 0
                ? reason.replaceAll("\\.$", "")
                : reason.substring(choices).replace(",", ", ");
    }

    private static String sentence(String problem) {
        var bad = BAD_VALUE.matcher(problem);
        if (!bad.find()) {
            return problem;
        }
        var name = bad.group(1).replaceAll("\\[\\d+]$", "").replace('.', '_').replace('-', '_');
        return "%s has the value '%s', which cannot be used: %s."
                .formatted(name.toUpperCase(Locale.ROOT), bad.group(2), withoutJava(bad.group(3)));
    }
}
