package io.taskexec.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build, which the build writes into a resource. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"taskexec " + number()};
    }

    /** The number alone. */
    public static String number() {
        var properties = new Properties();
        try (var resource = Version.class.getResourceAsStream("/version.properties")) {
            properties.load(resource);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Objects.requireNonNull(properties.getProperty("version"));
    }
}
