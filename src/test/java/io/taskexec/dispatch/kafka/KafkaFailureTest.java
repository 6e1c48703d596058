package io.taskexec.dispatch.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.model.delivery.HostAndPort;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Outcomes;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class KafkaFailureTest {
    private static final KafkaTarget TARGET =
            new KafkaTarget(List.of(new HostAndPort("a", 1)), "all", null, Duration.ofSeconds(10));

    /** A failure, its type, whether it is permanent, and whether its producer is given up. */
    static Stream<Arguments> failures() {
        return Stream.of(
                of(new UnknownHostException("Unknown host a"), Failure.Type.BROKER_ERROR, false, true),
                of(new EgressBlockedException("a is a"), Failure.Type.EGRESS_BLOCKED, true, true),
                of(new TimeoutException("late"), Failure.Type.BROKER_ERROR, false, false),
                of(unknownTopic(), Failure.Type.BROKER_ERROR, true, false),
                of(new RecordTooLargeException("large"), Failure.Type.BROKER_ERROR, true, false),
                of(new InvalidRecordException("no key"), Failure.Type.BROKER_ERROR, true, false),
                of(new InvalidTopicException("t"), Failure.Type.BROKER_ERROR, true, false),
                of(new TopicAuthorizationException("t"), Failure.Type.BROKER_ERROR, true, false),
                of(new ClusterAuthorizationException("no"), Failure.Type.BROKER_ERROR, true, true),
                of(new SaslAuthenticationException("who"), Failure.Type.BROKER_ERROR, true, true),
                of(new SslAuthenticationException("expired"), Failure.Type.BROKER_ERROR, false, true),
                of(new NotEnoughReplicasException("one"), Failure.Type.BROKER_ERROR, false, false),
                of(new NetworkException("gone"), Failure.Type.BROKER_ERROR, false, false),
                of(new OutOfOrderSequenceException("lost"), Failure.Type.BROKER_ERROR, false, true),
                of(new IllegalStateException("closed"), Failure.Type.BROKER_ERROR, false, true),
                of(new ConfigException("bad"), Failure.Type.INVALID_CONFIGURATION, true, true),
                of(
                        new KafkaException("failed", new InvalidConfigurationException("no key")),
                        Failure.Type.INVALID_CONFIGURATION,
                        true,
                        true));
    }

    private static TimeoutException unknownTopic() {
        return new TimeoutException("not present", new UnknownTopicOrPartitionException());
    }

    private static Arguments of(Exception failure, Failure.Type type, boolean permanent, boolean ofProducer) {
        return Arguments.of(failure, type, permanent, ofProducer);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aFailureHasOneMeaning(Exception failure, Failure.Type type, boolean permanent, boolean ofProducer) {
        var outcome = KafkaFailure.classify(failure, TARGET, "t");

        assertThat(Outcomes.failure(outcome).type()).isEqualTo(type);
        assertThat(outcome instanceof Outcome.PermanentFailure).isEqualTo(permanent);
        assertThat(KafkaFailure.isOfProducer(failure)).isEqualTo(ofProducer);
    }

    @Test
    void aTopicIsMissingForGoodOnlyAfterFiveSeconds() {
        var hasty = new KafkaTarget(TARGET.servers(), "all", null, Duration.ofSeconds(3));

        assertThat(KafkaFailure.unknownTopic(TARGET, "t", Duration.ofSeconds(5)))
                .isInstanceOf(Outcome.PermanentFailure.class);
        for (var outcome : List.of(
                KafkaFailure.unknownTopic(TARGET, "t", Duration.ofMillis(4_999)),
                KafkaFailure.classify(unknownTopic(), hasty, "t"))) {
            assertThat(outcome)
                    .isEqualTo(new Outcome.RetryableFailure(
                            new Failure(Failure.Type.BROKER_ERROR, "a:1 has no topic t"), null));
        }
    }

    @Test
    void onlyWhatIsWrongWithKeysAndCertificatesIsAboutSecurity() {
        assertThat(message(new ConfigException("bad"))).isEqualTo("The settings cannot be used: bad");
        assertThat(message(new InvalidConfigurationException("bad")))
                .isEqualTo("The security settings cannot be used: bad");
    }

    private static String message(Exception failure) {
        return Outcomes.failure(KafkaFailure.classify(failure, TARGET, "t")).message();
    }
}
