package io.taskexec.config;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.PropertiesConfigSourceLoader;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import io.smallrye.config.SysPropConfigSource;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Settings come from the command that runs, from the environment and the files that it names, from system properties,
 * and from what is packaged. By default, a {@code .env} of the directory that the program happens to be started in,
 * such as the one of Docker Compose, would be read too, and {@code config/application.properties} below it, though
 * nothing here tells of either. Quarkus finds this as a service.
 */
public final class SettingSources implements SmallRyeConfigBuilderCustomizer {
    // Which of them comes first: our own, and the numbers that the library has for the others.
    private static final int COMMAND = 500;
    private static final int FILES = 350;
    private static final int ENVIRONMENT = 300;
    private static final int APPLICATION = 250;
    private static final int LIBRARIES = 100;

    /** Quarkus makes this object and the configuration by itself, in the thread that starts it. */
    private static final ScopedValue<List<ConfigSource>> OF_COMMAND = ScopedValue.newInstance();

    /** The source of what a command sets, which no other source can change. */
    static ConfigSource ofCommand(Map<String, String> settings) {
        return new PropertiesConfigSource(settings, "command", COMMAND);
    }

    static ConfigSource ofFiles(Map<String, String> settings) {
        return new PropertiesConfigSource(settings, "files", FILES);
    }

    /** Runs what makes a configuration that has these sources as well. */
    static ScopedValue.Carrier with(ConfigSource... sources) {
        return ScopedValue.where(OF_COMMAND, List.of(sources));
    }

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        var loader = builder.getClassLoader();
        var _ = builder.setAddDefaultSources(false)
                .setAddSystemSources(false)
                .setAddPropertiesSources(false)
                .withSources(OF_COMMAND.orElse(List.of()).toArray(ConfigSource[]::new))
                .withSources(new SysPropConfigSource(), new EnvConfigSource(System.getenv(), ENVIRONMENT))
                .withSources(PropertiesConfigSourceLoader.inClassPath("application.properties", APPLICATION, loader))
                .withSources(PropertiesConfigSourceLoader.inClassPath(
                        "META-INF/microprofile-config.properties", LIBRARIES, loader));
    }

    /** After those of Quarkus. */
    @Override
    public int priority() {
        return Integer.MAX_VALUE;
    }
}
