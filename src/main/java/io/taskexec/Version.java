package io.taskexec;

import java.io.IOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build, which the build writes into a resource. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        var properties = new Properties();
        try (var resource = Version.class.getResourceAsStream("/version.properties")) {
            properties.load(resource);
        }
        return new String[] {"taskexec " + properties.getProperty("version")};
    }
}
