package io.taskexec.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseProbeTest {
    /** Messages of the protocol: no password is wanted, the version is 17.0, a statement may come. */
    private static final byte[] ADMITTED = HexFormat.of()
            .parseHex("520000000800000000" + "53000000187365727665725f76657273696f6e0031372e3000" + "5a0000000549");

    /** The bytes of the request for TLS. */
    private static final int TLS_REQUEST = 8;

    @ParameterizedTest
    @CsvSource({
        "08001, true",
        "08004, false",
        "08006, true",
        "08P01, true",
        "53300, true",
        "57P03, true",
        "28P01, false",
        "3D000, false"
    })
    void aStateThatTimeMayChangeIsTriedAgain(String state, boolean mayPass) {
        assertThat(DatabaseProbe.mayPass(new SQLException("refused", state))).isEqualTo(mayPass);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aServerWithoutTheTlsThatTheUrlDemandsIsNotTriedAgain() throws IOException {
        try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var _ = Thread.ofVirtual().start(() -> refuseTls(server));
            var url = "jdbc:postgresql://127.0.0.1:%d/x?sslmode=require".formatted(server.getLocalPort());

            var found = DatabaseProbe.look(url, "user", "password", Duration.ofSeconds(10));

            assertThat(found.fault()).contains("does not support SSL");
            assertThat(found.mayPass()).isFalse();
        }
    }

    private static void refuseTls(ServerSocket server) {
        try (var client = server.accept()) {
            var _ = client.getInputStream().readNBytes(TLS_REQUEST);
            client.getOutputStream().write('N');
            var _ = client.getInputStream().read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aServerThatSaysNothingAfterTheLoginIsGivenUp() throws IOException {
        try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            var _ = Thread.ofVirtual().start(() -> admit(server));
            // With the version the driver does not ask for anything itself.
            var url = "jdbc:postgresql://127.0.0.1:%d/x?sslmode=disable&assumeMinServerVersion=17"
                    .formatted(server.getLocalPort());

            var found = DatabaseProbe.look(url, "user", "password", Duration.ofSeconds(1));

            assertThat(found.fault()).isNotNull();
            assertThat(found.mayPass()).isTrue();
        }
    }

    @Test
    void versionsThatLoseChangesAreWarnedOf() {
        assertThat(DatabaseProbe.warning(18, 1)).startsWith("PostgreSQL 18.1 ").endsWith("18.2 or newer.");
        assertThat(DatabaseProbe.warning(18, 0)).startsWith("PostgreSQL 18.0 ");
        assertThat(DatabaseProbe.warning(18, 2)).isNull();
        assertThat(DatabaseProbe.warning(19, 0)).isNull();
        assertThat(DatabaseProbe.warning(17, 1)).isNull();
    }

    private static void admit(ServerSocket server) {
        try (var client = server.accept()) {
            var in = new DataInputStream(client.getInputStream());
            in.skipNBytes(in.readInt() - Integer.BYTES);
            client.getOutputStream().write(ADMITTED);
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
