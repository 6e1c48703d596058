package io.taskexec.dispatch.redis;

import static io.taskexec.dispatch.redis.RedisTestBed.entry;
import static io.taskexec.dispatch.redis.RedisTestBed.retryable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.RedisServer;
import io.taskexec.testing.TestCertificates;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A Redis behind TLS whose certificate is for localhost, and for nothing else. Not every build of Redis has TLS
 * itself.
 */
class RedisTlsTest {
    private static RedisServer redis;
    private static Vertx vertx;
    private static String pem;
    private static TrustManagerFactory trusting;
    private static int port;

    @BeforeAll
    static void open() throws InterruptedException {
        redis = RedisServer.start();
        vertx = Vertx.vertx();
        pem = TestCertificates.authority();
        trusting = RedisTrust.in(pem);
        port = vertx.createNetServer(new NetServerOptions()
                        .setSsl(true)
                        .setKeyCertOptions(TestCertificates.identity(TestCertificates.LOCALHOST)))
                .connectHandler(RedisTlsTest::forward)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    private static void forward(NetSocket socket) {
        var _ = socket.pause();
        vertx.createNetClient().connect(redis.port(), "127.0.0.1").onSuccess(server -> {
            var _ = socket.pipeTo(server);
            var _ = server.pipeTo(socket);
        });
    }

    @AfterAll
    static void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        redis.close();
    }

    private static Outcome dispatch(String host, @Nullable TrustManagerFactory trust) {
        try (var bed = new RedisTestBed(new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN)), trust)) {
            return bed.dispatch(entry("rediss://" + host + ":" + port, "s"));
        }
    }

    private static void assertRefused(Outcome outcome) {
        assertThat(retryable(outcome).type()).isEqualTo(Failure.Type.CONNECTION_ERROR);
        assertThat(retryable(outcome).message()).startsWith("TLS with ");
    }

    @Test
    void aTrustedCertificateForTheNameIsAccepted() {
        assertThat(dispatch("localhost", trusting)).isInstanceOf(Outcome.Succeeded.class);
        assertThat(redis.entries("s")).hasSize(1);
    }

    @Test
    void aTrustedCertificateForAnotherNameIsNot() {
        assertRefused(dispatch("127.0.0.1", trusting));
    }

    @Test
    void aCertificateThatNobodyVouchesForIsNot() {
        assertRefused(dispatch("localhost", null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"})
    void whatHoldsNoCertificateIsNoAuthority(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisTrust.in(text))
                .withMessageStartingWith("it holds no");
    }

    @Test
    void manyAuthoritiesMayStandInOneFile() {
        assertThat(RedisTrust.in(pem + pem).getTrustManagers()).hasSize(1);
    }
}
