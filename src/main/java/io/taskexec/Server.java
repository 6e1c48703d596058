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
        var server = settings.server();
        var serves = application == App.class;
        StartupChecks.checkDatabase(server);
        if (serves) {
            StartupChecks.check(settings);
        }
        var listens = serves && server.roles().contains(Role.API);
        var database = DatabaseUrl.parse(server.databaseUrl().orElseThrow());
        var fault = DatabaseProbe.fault(database.jdbc(), database.user(), database.password());
        if (fault != null) {
            throw new StartRefusedException(
                    "The database at %s cannot be used: %s".formatted(database.target(), fault));
        }
        database.asProperties().forEach(System::setProperty);
        System.setProperty("quarkus.datasource.reactive.max-size", String.valueOf(server.dbPoolSize()));
        var api = Address.parse("TE_LISTEN_ADDR", server.listenAddr());
        var management = Address.parse("TE_MANAGEMENT_ADDR", server.managementAddr());
        if (listens && api.equals(management) && api.port() != 0) {
            // Vert.x would let both listen and give each of them every other connection.
            throw new StartRefusedException("TE_LISTEN_ADDR and TE_MANAGEMENT_ADDR must differ.");
        }
        bind("quarkus.http", listens, api);
        bind("quarkus.management", serves, management);
        Launch.begin(serves);
        var exitCode = new AtomicInteger();
        Quarkus.run(application, (code, failure) -> exitCode.set(exitCode(code, failure)));
        var refusal = Launch.refusal();
        if (refusal != null) {
            throw new StartRefusedException(refusal);
        }
        return exitCode.get();
    }

    /** Quarkus leaves it to whoever asks for the exit code to say why it does not start. */
    private static int exitCode(int code, @Nullable Throwable failure) {
        if (failure != null && Launch.refusal() == null) {
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
