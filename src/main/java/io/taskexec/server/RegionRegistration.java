package io.taskexec.server;

import io.quarkus.runtime.StartupEvent;
import io.taskexec.config.StartRefusedException;
import io.taskexec.region.Regions;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Registers the region of a server before the API's port is opened, so that every job finds its lane. */
@Singleton
final class RegionRegistration {
    private static final int AFTER_THE_SCHEMA = Interceptor.Priority.LIBRARY_AFTER;

    private final Instance<Regions> regions;
    private final boolean serves;

    /** @param serves every server opens this port, and no other command does */
    RegionRegistration(
            Instance<Regions> regions, @ConfigProperty(name = Server.MANAGEMENT + ".host-enabled") boolean serves) {
        this.regions = regions;
        this.serves = serves;
    }

    /** Other commands have no region, and need not have the settings for one. */
    void register(@Observes @Priority(AFTER_THE_SCHEMA) StartupEvent event) {
        if (!serves) {
            return;
        }
        var refusal = regions.get().refusal().await().indefinitely();
        if (refusal != null) {
            throw new StartRefusedException(refusal);
        }
    }
}
