package io.taskexec;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.taskexec.store.DatabaseProbe;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Checks the settings, hands them to Quarkus in its own words and runs it. */
final class Server {
    private static final Logger LOG = Logger.getLogger(Server.class);

    private Server() {}

    /** Runs until the process is asked to stop; gives the exit code. */
    static int run(Class<? extends QuarkusApplication> application) {
        var settings = Settings.read();
        StartupChecks.check(settings);
        var server = settings.server();
        var listens = application == App.class && server.roles().contains(Role.API);
        var database = DatabaseUrl.parse(server.databaseUrl().orElseThrow());
        var fault = DatabaseProbe.fault(database.jdbc(), database.user(), database.password());
        if (fault != null) {
            throw new StartRefusedException(
                    "The database at %s cannot be used: %s".formatted(database.target(), fault));
        }
        database.asProperties().forEach(System::setProperty);
        System.setProperty("quarkus.datasource.reactive.max-size", String.valueOf(server.dbPoolSize()));
        bind("quarkus.http", listens, Address.parse("TE_LISTEN_ADDR", server.listenAddr()));
        bind(
                "quarkus.management",
                application == App.class,
                Address.parse("TE_MANAGEMENT_ADDR", server.managementAddr()));
        var exitCode = new AtomicInteger();
        Quarkus.run(application, (code, failure) -> exitCode.set(exitCode(code, failure)));
        return exitCode.get();
    }

    /** Quarkus has said already why it does not start, unless its log was not there yet. */
    private static int exitCode(int code, @Nullable Throwable failure) {
        if (failure instanceof ExceptionInInitializerError) {
            LOG.error("taskexec cannot start", failure);
        }
        return code;
    }

    private static void bind(String prefix, boolean listens, Address address) {
        if (listens) {
            address.checkFree();
        }
        System.setProperty(prefix + ".host-enabled", String.valueOf(listens));
        System.setProperty(prefix + ".host", address.host());
        System.setProperty(prefix + ".port", String.valueOf(address.port()));
    }
}
