package io.taskexec.config;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSourceLoader;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import io.smallrye.config.SysPropConfigSource;

/**
 * Settings come from the environment, from the system properties that the command line makes of its options and of
 * files, and from what is packaged. By default, a {@code .env} of the directory that the program happens to be started
 * in, such as the one of Docker Compose, would be read too, and {@code config/application.properties} below it, though
 * nothing here tells of either. Quarkus finds this as a service.
 */
public final class SettingSources implements SmallRyeConfigBuilderCustomizer {
    // Which of them comes first, by the numbers that the library has for them.
    private static final int ENVIRONMENT = 300;
    private static final int APPLICATION = 250;
    private static final int LIBRARIES = 100;

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        var loader = builder.getClassLoader();
        var _ = builder.setAddDefaultSources(false)
                .setAddSystemSources(false)
                .setAddPropertiesSources(false)
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
