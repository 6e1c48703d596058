package io.taskexec.dispatch.kafka;

import static io.taskexec.dispatch.kafka.KafkaTestBed.message;
import static io.taskexec.testing.Outcomes.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.endpoint.KafkaSecurity;
import io.taskexec.model.endpoint.KafkaSecurity.Protocol;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.TestCertificates;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters that ask who is there, and show who they are. */
class KafkaSecurityTest {
    private static KafkaBroker broker;
    private static KafkaTestBed bed;
    private static String topic;

    @BeforeAll
    static void open() {
        broker = KafkaBroker.shared();
        bed = new KafkaTestBed();
        topic = broker.topic("secure", 1, Map.of());
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    @Test
    void aNameAndAPasswordWithQuotesAreUnderstoodAndNowhereLogged() {
        var logged = new CopyOnWriteArrayList<String>();
        var loggers = Stream.of("clients", "common.config", "common.security")
                .map(name -> Logger.getLogger("org.apache.kafka." + name))
                .toList();
        var recorder = recorder(logged);
        loggers.forEach(logger -> {
            logger.setLevel(Level.ALL);
            logger.setUseParentHandlers(false);
            logger.addHandler(recorder);
        });
        try {
            assertDelivered(broker.secureBootstrap(), tls("plain", KafkaBroker.USER, KafkaBroker.PASSWORD));
        } finally {
            loggers.forEach(logger -> {
                logger.removeHandler(recorder);
                logger.setUseParentHandlers(true);
                logger.setLevel(null);
            });
        }

        assertThat(logged).anyMatch(it -> it.contains("sasl.jaas.config"));
        assertThat(logged).noneMatch(it -> it.contains("pass\"word") || it.contains("pass\\\"word"));
    }

    private static Handler recorder(List<String> logged) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getMessage() + Arrays.toString(entry.getParameters()));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"scram-sha-256", "scram-sha-512"})
    void aPasswordNeedNotBeSentAsItIs(String mechanism) {
        assertDelivered(
                broker.namedBootstrap(),
                sasl(mechanism, KafkaBroker.SCRAM_USER, KafkaBroker.SCRAM_PASSWORD, Protocol.SASL_PLAINTEXT, null));
        assertDelivered(broker.secureBootstrap(), tls(mechanism, KafkaBroker.SCRAM_USER, KafkaBroker.SCRAM_PASSWORD));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "scram-sha-256"})
    void aWrongPasswordIsAPermanentFailureAndSaysSoAtOnce(String mechanism) {
        var outcome =
                bed.dispatch(message(broker.secureBootstrap(), topic, tls(mechanism, "mallory", "not-the-password")));

        assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
        assertThat(failure(outcome).type()).isEqualTo(Failure.Type.BROKER_ERROR);
        assertThat(failure(outcome).message()).contains("uthentication").doesNotContain("not-the-password");
    }

    @Test
    void aTopicThatTheUserMayNotWriteToIsAPermanentFailure() {
        var guarded = broker.guardedTopic("guarded");

        var outcome = bed.dispatch(message(
                broker.secureBootstrap(),
                guarded,
                tls("scram-sha-256", KafkaBroker.SCRAM_USER, KafkaBroker.SCRAM_PASSWORD)));

        assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
        assertThat(failure(outcome).message()).contains("authorized");
    }

    @Test
    void aClientShowsItsCertificate() {
        assertDelivered(
                broker.mutualBootstrap(),
                new KafkaSecurity(
                        Protocol.SSL,
                        null,
                        null,
                        null,
                        TestCertificates.authority(),
                        TestCertificates.certificates(TestCertificates.CLIENT),
                        TestCertificates.key(TestCertificates.CLIENT)));
    }

    @Test
    void aClusterThatNobodyVouchesForOrThatHasAnotherNameIsNotTrusted() {
        var otherName = broker.secureBootstrap().replace("localhost", "127.0.0.1");
        var user = KafkaBroker.SCRAM_USER;
        var trusting = tls("scram-sha-256", user, KafkaBroker.SCRAM_PASSWORD);
        var suspicious = sasl("scram-sha-256", user, KafkaBroker.SCRAM_PASSWORD, Protocol.SASL_SSL, null);

        for (var outcome : List.of(
                bed.dispatch(message(otherName, topic, trusting)),
                bed.dispatch(message(broker.secureBootstrap(), topic, suspicious)))) {
            assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
            assertThat(failure(outcome).type()).isEqualTo(Failure.Type.BROKER_ERROR);
            assertThat(failure(outcome).message()).contains("SSL");
        }
    }

    @Test
    void aCertificateOrAKeyThatCannotBeReadIsAnInvalidConfiguration() {
        for (var broken : List.of(
                new KafkaSecurity(Protocol.SSL, null, null, null, "no certificate", null, null),
                new KafkaSecurity(
                        Protocol.SSL,
                        null,
                        null,
                        null,
                        TestCertificates.authority(),
                        TestCertificates.certificates(TestCertificates.CLIENT),
                        "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"))) {
            var outcome = bed.dispatch(message(broker.mutualBootstrap(), topic, broken));

            assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
            assertThat(failure(outcome).type()).isEqualTo(Failure.Type.INVALID_CONFIGURATION);
            assertThat(failure(outcome).message())
                    .startsWith("The security settings cannot be used")
                    .doesNotContain("c2VjcmV0");
        }
    }

    @Test
    void aNewPasswordIsUsedAtOnce() {
        var user = KafkaBroker.SCRAM_USER;
        assertThat(bed.dispatch(message(broker.namedBootstrap(), topic, named(user, "the-old-password"))))
                .isInstanceOf(Outcome.PermanentFailure.class);
        assertDelivered(broker.namedBootstrap(), named(user, KafkaBroker.SCRAM_PASSWORD));
    }

    private static void assertDelivered(String bootstrap, KafkaSecurity security) {
        assertThat(bed.dispatch(message(bootstrap, topic, security))).isInstanceOf(Outcome.Succeeded.class);
    }

    private static KafkaSecurity named(String user, String password) {
        return sasl("scram-sha-512", user, password, Protocol.SASL_PLAINTEXT, null);
    }

    private static KafkaSecurity tls(String mechanism, String user, String password) {
        return sasl(mechanism, user, password, Protocol.SASL_SSL, TestCertificates.authority());
    }

    private static KafkaSecurity sasl(
            String mechanism, String user, String password, Protocol protocol, @Nullable String authority) {
        return new KafkaSecurity(protocol, mechanism, user, password, authority, null, null);
    }
}
