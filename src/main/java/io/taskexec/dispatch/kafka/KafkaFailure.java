package io.taskexec.dispatch.kafka;

import io.taskexec.dispatch.delivery.PlainText;
import io.taskexec.dispatch.egress.EgressBlockedException;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.jspecify.annotations.Nullable;

/** Classifies messages that Kafka did not acknowledge. */
final class KafkaFailure {
    /** Failures that another attempt would only repeat. Certificates are not here: the other side may renew its own. */
    private static final List<Class<? extends Throwable>> PERMANENT = List.of(
            RecordTooLargeException.class,
            RecordBatchTooLargeException.class,
            InvalidRecordException.class,
            InvalidTopicException.class,
            AuthorizationException.class,
            SaslAuthenticationException.class,
            UnsupportedSaslMechanismException.class);

    /** Failures that are about one message, or about the cluster at the moment, and not about the producer. */
    private static final List<Class<? extends Throwable>> OF_THE_MESSAGE = List.of(
            RecordTooLargeException.class,
            RecordBatchTooLargeException.class,
            InvalidRecordException.class,
            InvalidTopicException.class,
            TopicAuthorizationException.class,
            RetriableException.class);

    /** These themselves: much that a broker refuses is derived from them. */
    private static final List<Class<? extends Throwable>> OF_SETTINGS =
            List.of(InvalidConfigurationException.class, ConfigException.class);

    private KafkaFailure() {}

    /** The outcome when {@code failure} ended the delivery of a message to {@code topic}. */
    static Outcome classify(Throwable failure, KafkaTarget target, String topic) {
        return switch (failure) {
            case EgressBlockedException e -> blocked(String.valueOf(e.getMessage()));
            case UnknownHostException e -> retryable(PlainText.of(e));
            case TimeoutException e
            when e.getCause() instanceof UnknownTopicOrPartitionException ->
                unknownTopic(target, topic, target.patience());
            case TimeoutException e -> retryable(target.cluster() + " did not answer in time: " + PlainText.of(e));
            default -> other(failure, target);
        };
    }

    private static Outcome other(Throwable failure, KafkaTarget target) {
        var unusable = ofSettings(failure);
        if (unusable != null) {
            // Users give keys and certificates as they are; all other settings are made here.
            var what = unusable instanceof ConfigException ? "The settings" : "The security settings";
            return new Outcome.PermanentFailure(new Failure(
                    Failure.Type.INVALID_CONFIGURATION, what + " cannot be used: " + PlainText.of(unusable)));
        }
        var message = target.cluster() + " refused the message: " + PlainText.of(failure);
        return isAmong(failure, PERMANENT)
                ? new Outcome.PermanentFailure(new Failure(Failure.Type.BROKER_ERROR, message))
                : retryable(message);
    }

    /**
     * The outcome when the cluster says that it has no such topic.
     *
     * @param patience how long it could have said so; brokers do not know a new topic at once
     */
    static Outcome unknownTopic(KafkaTarget target, String topic, Duration patience) {
        var message = target.cluster() + " has no topic " + topic;
        return patience.compareTo(KafkaSettings.LONGEST_WAIT) < 0
                ? retryable(message)
                : new Outcome.PermanentFailure(new Failure(Failure.Type.BROKER_ERROR, message));
    }

    /** The outcome when no broker that could take the message may be called. */
    static Outcome blocked(String refusal) {
        return new Outcome.PermanentFailure(new Failure(Failure.Type.EGRESS_BLOCKED, PlainText.of(refusal)));
    }

    /** The outcome when {@code timeout} passed before the message was acknowledged. */
    static Outcome timedOut(KafkaTarget target, Duration timeout) {
        return timedOut("No acknowledgement from " + target.cluster(), timeout);
    }

    /** The outcome when {@code timeout} passed before there was a producer to be had. */
    static Outcome crowdedOut(Duration timeout) {
        return timedOut("Connections to " + KafkaProducers.MOST + " other Kafka clusters were all in use", timeout);
    }

    private static Outcome timedOut(String what, Duration timeout) {
        var message = what + " within " + timeout.toMillis() + " ms";
        return new Outcome.RetryableFailure(new Failure(Failure.Type.TIMEOUT, message), null);
    }

    /** Whether the producer may be in a state that it does not leave by itself. */
    static boolean isOfProducer(Throwable failure) {
        return !isAmong(failure, OF_THE_MESSAGE);
    }

    private static Outcome retryable(String message) {
        return new Outcome.RetryableFailure(new Failure(Failure.Type.BROKER_ERROR, message), null);
    }

    private static boolean isAmong(Throwable failure, List<Class<? extends Throwable>> types) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }

    private static @Nullable Throwable ofSettings(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (OF_SETTINGS.contains(cause.getClass())) {
                return cause;
            }
        }
        return null;
    }
}
