package io.taskexec.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server of our own, kept below a data directory and run for as long as this object is open.
 *
 * <p>The caller that starts it closes it, after everything that uses it has stopped: there is no shutdown hook, which
 * would run beside the program's own and take the database away from work that is being finished. A server that
 * outlives its program (after {@code kill -9}) is stopped by the next start. Two processes must not start on one
 * directory at once; {@link DataDirectory} sees to that.
 */
public final class EmbeddedDatabase implements AutoCloseable {
    private static final int PORTS_TO_TRY = 3;
    private static final int PASSWORD_BYTES = 24;

    private final Cluster cluster;
    private final String url;

    private EmbeddedDatabase(Cluster cluster, String url) {
        this.cluster = cluster;
        this.url = url;
    }

    /**
     * Starts the database kept in {@code dataDir/postgres}, which is created the first time, and waits until it
     * answers.
     *
     * @throws EmbeddedDatabaseException when that is not possible, with the reason
     */
    public static EmbeddedDatabase start(Path dataDir) {
        try {
            OwnerOnly.createDirectories(dataDir);
            var home = dataDir.toRealPath();
            var programs = BinaryCache.forUser(home).unpacked(Archive.forThisMachine());
            var cluster = new Cluster(programs, UnprivilegedUser.detect(), clusterIn(home));
            // On one machine there may be more than one user: without a password any of them would be superuser here,
            // and PostgreSQL's superuser can run programs as us.
            var passwordFile = passwordFile(home);
            var password = new KeyFile(passwordFile).readOrCreate(EmbeddedDatabase::freshPassword);
            cluster.createIfMissing(passwordFile);
            cluster.stopLeftover();
            var port = startOnFreePort(cluster);
            return new EmbeddedDatabase(cluster, url(password, port));
        } catch (IOException e) {
            throw new EmbeddedDatabaseException("The embedded database in " + dataDir + " cannot be started: " + e, e);
        }
    }

    /** Whether a database is kept in {@code dataDir}. */
    public static boolean exists(Path dataDir) {
        return Files.isDirectory(clusterIn(dataDir));
    }

    /**
     * Returns the URL of the database in {@code dataDir} that another process has started; null when it does not run.
     */
    public static @Nullable String running(Path dataDir) {
        try {
            var home = dataDir.toRealPath();
            var port = Postmaster.port(clusterIn(home));
            return port == null || Files.notExists(passwordFile(home))
                    ? null
                    : url(Files.readString(passwordFile(home)).strip(), port);
        } catch (IOException e) {
            throw new EmbeddedDatabaseException("The embedded database in " + dataDir + " cannot be found: " + e, e);
        }
    }

    private static Path clusterIn(Path dataDir) {
        return dataDir.resolve("postgres");
    }

    private static Path passwordFile(Path dataDir) {
        return dataDir.resolve("postgres-password");
    }

    private static String url(String password, int port) {
        return "postgresql://postgres:%s@127.0.0.1:%d/postgres".formatted(password, port);
    }

    // The port is free when it is looked up and may be taken when it is used, so there is a second and a third try.
    private static int startOnFreePort(Cluster cluster) throws IOException {
        for (var attempt = 1; ; attempt++) {
            var port = freePort();
            if (cluster.start(port)) {
                return port;
            }
            var log = Files.exists(cluster.log()) ? Files.readString(cluster.log()) : "";
            if (attempt == PORTS_TO_TRY || !log.contains("Address already in use")) {
                throw new EmbeddedDatabaseException("PostgreSQL does not start; it said: " + log.strip());
            }
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static String freshPassword() {
        var bytes = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Its URL: {@code postgresql://postgres:PASSWORD@127.0.0.1:PORT/postgres}, with another port at every start. */
    public String url() {
        return url;
    }

    /** Stops the server cleanly; closing twice, or after it died, does nothing. */
    @Override
    public void close() {
        try {
            cluster.stop();
        } catch (IOException e) {
            throw new EmbeddedDatabaseException("The embedded database cannot be stopped: " + e, e);
        }
    }
}
