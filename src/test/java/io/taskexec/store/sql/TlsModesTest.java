package io.taskexec.store.sql;

import static io.taskexec.testing.TestDb.PATIENCE;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.config.DatabaseUrl;
import io.taskexec.embedded.EmbeddedDatabase;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.TestCertificates;
import io.taskexec.testing.TestDb;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connects both drivers to a server with a certificate of an authority that only this test knows. */
class TlsModesTest {
    private static final String IS_ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

    @TempDir
    private static Path home;

    private static EmbeddedDatabase server;
    private static String authority;
    private static String stranger;

    @BeforeAll
    static void start() throws InterruptedException, IOException {
        authority = TestCertificates.authorityFile().toString();
        var chain = TestCertificates.certificates(TestCertificates.CLIENT);
        stranger = Files.writeString(home.resolve("stranger.pem"), chain.substring(0, chain.indexOf("-----BEGIN", 1)))
                .toString();
        server = EmbeddedDatabase.start(home);
        write("server.crt", TestCertificates.certificates(TestCertificates.LOCALHOST));
        write("server.key", TestCertificates.key(TestCertificates.LOCALHOST));
        execute("ALTER SYSTEM SET ssl = on");
        execute("SELECT pg_reload_conf()");
        Eventually.await("TLS", PATIENCE, () -> jdbc(url("localhost", "sslmode=prefer")));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Written by the server, to whose user the file must belong. */
    private static void write(String file, String pem) {
        execute("COPY (SELECT unnest(string_to_array('%s', chr(10)))) TO PROGRAM 'umask 077; cat > %s'"
                .formatted(pem.strip(), file));
    }

    private static void execute(String sql) {
        var url = DatabaseUrl.parse(server.url());
        try (var connection = DriverManager.getConnection(url.jdbc(), url.user(), url.password());
                var statement = connection.createStatement()) {
            var _ = statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DatabaseUrl url(String host, String parameters) {
        return DatabaseUrl.parse(server.url().replace("@127.0.0.1:", "@" + host + ":") + "?"
                + parameters.replace("AUTHORITY", authority).replace("STRANGER", stranger));
    }

    private static boolean jdbc(DatabaseUrl url) {
        try (var connection = DriverManager.getConnection(url.jdbc(), url.user(), url.password());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(IS_ENCRYPTED)) {
            return rows.next() && rows.getBoolean(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean reactive(DatabaseUrl url) {
        var uri = Objects.requireNonNull(url.asProperties().get("quarkus.datasource.reactive.url"));
        var options = PgConnectOptions.fromUri(uri).setUser(url.user()).setPassword(url.password());
        var input = new ConnectionsTest.Input(TestDb.vertx(), new PoolOptions(), List.of(options));
        var connections = new Connections(
                new ConnectionsTest.Config(5_000),
                Optional.ofNullable(url.asProperties().get(Connections.ROOT_CERTIFICATE)));
        var pool = Pool.newInstance(connections.create(input));
        try {
            return await(pool.query(IS_ENCRYPTED).execute()).iterator().next().getBoolean(0);
        } finally {
            await(pool.close());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, sslmode=disable, false",
        "localhost, sslmode=allow, false",
        "localhost, sslmode=prefer, true",
        "localhost, sslmode=require, true",
        "127.0.0.1, sslmode=require&sslrootcert=AUTHORITY, true",
        "127.0.0.1, sslmode=verify-ca&sslrootcert=AUTHORITY, true",
        "localhost, sslmode=verify-full&sslrootcert=AUTHORITY, true"
    })
    void bothDriversConnect(String host, String parameters, boolean isEncrypted) {
        var url = url(host, parameters);

        assertThat(jdbc(url)).isEqualTo(isEncrypted);
        assertThat(reactive(url)).isEqualTo(isEncrypted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sslmode=verify-full&sslrootcert=AUTHORITY",
                "sslmode=verify-ca&sslrootcert=STRANGER",
                "sslmode=require&sslrootcert=STRANGER"
            })
    void neitherDriverConnectsWhereTheCertificateIsOfAnotherNameOrAuthority(String parameters) {
        var url = url("127.0.0.1", parameters);

        assertThatThrownBy(() -> jdbc(url)).hasCauseInstanceOf(SQLException.class);
        assertThatThrownBy(() -> reactive(url)).isInstanceOf(Exception.class);
    }
}
