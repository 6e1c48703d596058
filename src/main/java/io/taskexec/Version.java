package io.taskexec;

import org.eclipse.microprofile.config.ConfigProvider;
import picocli.CommandLine.IVersionProvider;

/** The version of this build. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "taskexec " + ConfigProvider.getConfig().getValue("quarkus.application.version", String.class)
        };
    }
}
