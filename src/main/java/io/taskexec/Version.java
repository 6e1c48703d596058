package io.taskexec;

import java.io.IOException;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build, which the build writes into a resource. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        return new String[] {"taskexec " + number()};
    }

    /** The number alone. */
    static String number() throws IOException {
        var properties = new Properties();
        try (var resource = Version.class.getResourceAsStream("/version.properties")) {
            properties.load(resource);
        }
        return Objects.requireNonNull(properties.getProperty("version"));
    }
}
