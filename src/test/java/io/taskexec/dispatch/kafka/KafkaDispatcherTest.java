package io.taskexec.dispatch.kafka;

import static io.taskexec.dispatch.kafka.KafkaTestBed.DELIVERY;
import static io.taskexec.dispatch.kafka.KafkaTestBed.PATIENCE;
import static io.taskexec.dispatch.kafka.KafkaTestBed.message;
import static io.taskexec.testing.Outcomes.failure;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.HostLookup;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.KafkaMessage;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Signer;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.KafkaBroker;
import io.taskexec.testing.Program;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaDispatcherTest {
    private static KafkaBroker broker;
    private static KafkaTestBed bed;

    @BeforeAll
    static void open() {
        broker = KafkaBroker.shared();
        bed = new KafkaTestBed();
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    @Test
    void keyValueAndHeadersArriveWithOursBehindTheUsers() {
        var topic = broker.topic("whole", 3, Map.of());
        var headers = new LinkedHashMap<String, String>();
        headers.put("Source", "ü");
        headers.put("empty", "");
        var sent = new KafkaMessage(
                broker.bootstrap(), topic, "kéy", "{\"n\":12.50}", headers, "all", null, Duration.ofSeconds(10));

        var outcome = bed.dispatch(sent);

        var record = onlyRecord(topic);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output())
                                .hasToString("{\"partition\":%d,\"offset\":0}".formatted(record.partition())));
        assertThat(new String(record.key(), UTF_8)).isEqualTo("kéy");
        assertThat(new String(record.value(), UTF_8)).isEqualTo("{\"n\":12.50}");
        var expected = new LinkedHashMap<>(headers);
        expected.put("idempotency-key", "exec_0195a000000070008000000000000001");
        expected.put("taskexec-execution-id", "exec_0195a000000070008000000000000001");
        expected.put("taskexec-job-id", "job_0195a000000070008000000000000002");
        expected.put("taskexec-attempt", "3");
        expected.put("taskexec-scheduled-for", "2026-03-01T12:00:00.250Z");
        var arrived = KafkaTestBed.texts(record.headers());
        assertThat(arrived.remove("traceparent")).startsWith("00-0195a000000070008000000000000001-");
        assertThat(arrived.entrySet()).containsExactlyElementsOf(expected.entrySet());
    }

    @Test
    void aRecordIsSignedAndACloudEventWhenItsEndpointSaysSo() {
        var topic = broker.topic("event", 1, Map.of());
        var signer = (Signer) (id, timestamp, body) -> id + " " + new String(body, UTF_8);
        var extras = new DeliveryExtras(signer, new DeliveryExtras.CloudEvent("/taskexec", "com.example.ü"));
        var delivery = new Delivery(
                DELIVERY.executionId(), DELIVERY.jobId(), 1, DELIVERY.scheduledFor(), DELIVERY.trace(), extras);

        var outcome = bed.dispatcher
                .dispatch(message(broker.bootstrap(), topic), delivery)
                .await()
                .atMost(PATIENCE);

        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
        assertThat(KafkaTestBed.texts(onlyRecord(topic).headers()))
                .containsEntry("content-type", "application/json")
                .containsEntry("ce_specversion", "1.0")
                .containsEntry("ce_type", "com.example.ü")
                .containsEntry("webhook-signature", "exec_0195a000000070008000000000000001 {\"n\":1}");
    }

    @Test
    void aRecordMayHaveNeitherKeyNorValue() {
        var topic = broker.topic("bare", 1, Map.of());

        var outcome = bed.dispatch(
                new KafkaMessage(broker.bootstrap(), topic, null, null, Map.of(), "all", null, Duration.ofSeconds(10)));

        assertThat(outcome).isInstanceOf(Outcome.Succeeded.class);
        var record = onlyRecord(topic);
        assertThat(record.key()).isNull();
        assertThat(record.value()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0, -1", "1, 0", "all, 0"})
    void whoseAcknowledgementIsAskedForDecidesWhatIsKnown(String acks, long offset) {
        var topic = broker.topic("acks-" + acks, 1, Map.of());

        var outcome = bed.dispatch(
                new KafkaMessage(broker.bootstrap(), topic, "k", "1", Map.of(), acks, null, Duration.ofSeconds(10)));

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Succeeded.class,
                        it -> assertThat(it.output().path("offset").longValue()).isEqualTo(offset));
        assertThat(broker.records(topic, 1)).hasSize(1);
    }

    @Test
    void manyMessagesAtOnceShareAProducerAndNoneIsLost() {
        var topic = broker.topic("many", 4, Map.of());
        var before = bed.producers.open();
        var first = message(broker.bootstrap(), topic).withTimeout(Duration.ofSeconds(9));

        var outcomes = Multi.createFrom()
                .range(0, 1000)
                .onItem()
                .transformToUni(_ -> bed.dispatcher.dispatch(first, DELIVERY))
                .merge(1000)
                .collect()
                .asList()
                .await()
                .atMost(PATIENCE);

        assertThat(outcomes).hasSize(1000).allMatch(it -> it instanceof Outcome.Succeeded);
        assertThat(broker.records(topic, 1000)).hasSize(1000);
        assertThat(bed.producers.open() - before).isLessThanOrEqualTo(1);
    }

    @Test
    void anUnknownTopicIsAPermanentFailure() {
        assertThat(bed.dispatch(message(broker.bootstrap(), "nowhere")))
                .isEqualTo(new Outcome.PermanentFailure(
                        new Failure(Failure.Type.BROKER_ERROR, broker.bootstrap() + " has no topic nowhere")));
    }

    @Test
    void aTopicThatIsUnknownForAShortTimeIsTriedAgain() {
        assertThat(bed.dispatch(message(broker.bootstrap(), "nowhere").withTimeout(Duration.ofMillis(1_500))))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.BROKER_ERROR, broker.bootstrap() + " has no topic nowhere"), null));
    }

    @Test
    void aRecordThatIsTooLargeForUsIsAPermanentFailure() {
        var topic = broker.topic("large", 1, Map.of("max.message.bytes", "4000000"));

        var failure = permanentRefusal(withValue(topic, "\"" + "x".repeat(KafkaSettings.MAX_MESSAGE_BYTES) + "\""));

        assertThat(failure.message()).contains("1048576");
        assertThat(bed.dispatch(withValue(topic, "\"" + "x".repeat(1_000_000) + "\"")))
                .isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aRecordThatIsTooLargeForItsTopicIsAPermanentFailure() {
        var topic = broker.topic("small", 1, Map.of("max.message.bytes", "1000"));

        var failure = permanentRefusal(withValue(topic, "\"" + "x".repeat(2_000) + "\""));

        assertThat(failure.message()).contains("refused the message");
    }

    @Test
    void aTopicThatTakesNoLargeBatchGetsAllRecordsThatFitAndRefusesWhatDoesNot() {
        var topic = broker.topic("narrow", 1, Map.of("max.message.bytes", "5000"));

        var outcomes = Multi.createFrom()
                .range(0, 100)
                .onItem()
                .transformToUni(n -> bed.dispatcher.dispatch(
                        withValue(topic, "\"" + "x".repeat(n == 50 ? 6_000 : 700) + "\""), DELIVERY))
                .merge(100)
                .collect()
                .asList()
                .await()
                .atMost(PATIENCE);

        assertThat(outcomes).filteredOn(it -> it instanceof Outcome.Succeeded).hasSize(99);
        assertThat(outcomes)
                .filteredOn(it -> it instanceof Outcome.PermanentFailure)
                .hasSize(1);
    }

    @Test
    void aRecordWithoutAKeyForACompactedTopicIsAPermanentFailure() {
        var topic = broker.topic("compacted", 1, Map.of("cleanup.policy", "compact"));

        var failure = permanentRefusal(
                new KafkaMessage(broker.bootstrap(), topic, null, "1", Map.of(), "all", null, Duration.ofSeconds(10)));

        assertThat(failure.message()).contains("refused the message");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            kafka         | t   | bootstrap servers
            ''            | t   | bootstrap servers
            127.0.0.1:1   | a b | topic
            """)
    void whatCannotBeSentIsAnInvalidConfiguration(String bootstrap, String topic, String complaint) {
        var outcome = bed.dispatch(message(bootstrap, topic));

        assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
        assertThat(failure(outcome).type()).isEqualTo(Failure.Type.INVALID_CONFIGURATION);
        assertThat(failure(outcome).message()).contains(complaint);
    }

    @Test
    void aClusterThatIsSilentOrAwayEndsTheAttemptWithItsTimeAndNotLater() throws IOException {
        try (var silent = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            for (var port : List.of(silent.getLocalPort(), Program.freePort())) {
                var begun = System.nanoTime();

                var outcome = bed.dispatch(message("127.0.0.1:" + port, "t").withTimeout(Duration.ofMillis(1_100)));

                var took = Duration.ofNanos(System.nanoTime() - begun);
                assertThat(outcome)
                        .isEqualTo(new Outcome.RetryableFailure(
                                new Failure(
                                        Failure.Type.TIMEOUT,
                                        "No acknowledgement from 127.0.0.1:" + port + " within 1100 ms"),
                                null));
                // Kafka's client gives it up itself after three seconds.
                assertThat(took).isBetween(Duration.ofMillis(1_100), Duration.ofMillis(2_900));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u007f\u00ff\u00ff\u00ff", "HTTP/1.1 400 Bad Request\r\n\r\n"})
    void anAnswerThatIsSaidToBeHugeClosesTheConnectionAndEndsNoThread(String answer) throws Exception {
        var connections = new AtomicInteger();
        try (var noBroker = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            var _ = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        answerUntilClosed(noBroker.accept(), answer.getBytes(ISO_8859_1));
                        var _ = connections.incrementAndGet();
                    }
                } catch (IOException _) {
                    // The test is over.
                }
            });

            var outcome = bed.dispatch(
                    message("127.0.0.1:" + noBroker.getLocalPort(), "t").withTimeout(Duration.ofSeconds(2)));

            assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
            Eventually.await("it has connected again", PATIENCE, () -> connections.get() > 1);
        }
    }

    private static void answerUntilClosed(Socket broker, byte[] answer) throws IOException {
        try (var socket = broker) {
            var _ = socket.getInputStream().read();
            socket.getOutputStream().write(answer);
            var _ = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (SocketException _) {
            // Closed with something unread.
        }
    }

    @Test
    void anUnknownHostIsARetryableFailure() {
        var outcome = bed.dispatch(message("no-such-host.invalid:9092", "t"));

        assertThat(outcome)
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.BROKER_ERROR, "Unknown host no-such-host.invalid"), null));
    }

    @Test
    void namesAreLookedUpByTheGuardAlone() {
        var topic = broker.topic("looked-up", 1, Map.of());
        var asked = new CopyOnWriteArrayList<String>();
        HostLookup lookup = host -> {
            asked.add(host);
            return List.of(InetAddress.ofLiteral("127.0.0.1"));
        };
        var guard = new EgressGuard(
                new EgressPolicy(EgressConfig.Mode.OPEN, List.of(), List.of()),
                new AddressCache(lookup, Runnable::run, System::nanoTime),
                TestEgress.NO_INTERFACES);
        try (var guarded = new KafkaTestBed(guard)) {
            var bootstrap = broker.bootstrap().replace("127.0.0.1", "no-such-host.invalid");

            assertThat(guarded.dispatch(message(bootstrap, topic))).isInstanceOf(Outcome.Succeeded.class);
        }
        assertThat(asked).containsOnly("no-such-host.invalid");
    }

    @Test
    void aBrokerThatComesBackGetsWhatIsTriedAgain() throws IOException, InterruptedException {
        var topic = broker.topic("restart", 1, Map.of());
        assertThat(bed.dispatch(message(broker.bootstrap(), topic))).isInstanceOf(Outcome.Succeeded.class);
        broker.stop();
        try {
            var outcome = bed.dispatch(message(broker.bootstrap(), topic).withTimeout(Duration.ofMillis(500)));
            assertThat(outcome).isInstanceOf(Outcome.RetryableFailure.class);
        } finally {
            broker.start();
        }

        Eventually.await(
                "a delivery succeeds",
                PATIENCE,
                () -> bed.dispatch(message(broker.bootstrap(), topic).withTimeout(Duration.ofSeconds(2)))
                        instanceof Outcome.Succeeded);
        assertThat(broker.records(topic, 2)).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void aBrokerThatSaysItIsAtAForbiddenAddressIsNotCalledThere() {
        var topic = broker.topic("astray", 1, Map.of());
        var begun = System.nanoTime();

        for (var acks : List.of("1", "all")) {
            var outcome = bed.dispatch(new KafkaMessage(
                    broker.astrayBootstrap(), topic, "k", "1", Map.of(), acks, null, Duration.ofSeconds(10)));

            assertThat(outcome)
                    .isEqualTo(new Outcome.PermanentFailure(new Failure(
                            Failure.Type.EGRESS_BLOCKED,
                            "169.254.169.254 is a cloud metadata address, which is never called")));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @CsvSource({"169.254.169.254:9092", "'127.0.0.1:1,169.254.169.254:9092'", "'[::ffff:169.254.0.1]:9092'"})
    void aForbiddenServerToBeginWithIsRefusedAtOnce(String bootstrap) {
        var outcome = bed.dispatch(message(bootstrap, "t"));

        assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
        assertThat(failure(outcome).type()).isEqualTo(Failure.Type.EGRESS_BLOCKED);
    }

    @Test
    void aDeliveryThatIsCancelledGivesItsProducerBack() throws InterruptedException {
        var message = message("127.0.0.1:" + Program.freePort(), "t");
        var before = bed.producers.open();

        var delivery = bed.dispatcher.dispatch(message, DELIVERY).subscribe().with(_ -> {});
        Eventually.await("it has a producer", PATIENCE, () -> bed.producers.open() == before + 1);
        delivery.cancel();

        // It is given back at some moment after this, and is idle from then on.
        Eventually.await("its producer is closed", PATIENCE, () -> {
            var _ = bed.nanoTime.addAndGet(KafkaProducers.IDLE.toNanos());
            bed.producers.closeIdle();
            return bed.producers.open() == 0;
        });
    }

    private static KafkaMessage withValue(String topic, String value) {
        return new KafkaMessage(broker.bootstrap(), topic, "k", value, Map.of(), "all", null, Duration.ofSeconds(10));
    }

    private static Failure permanentRefusal(KafkaMessage message) {
        var outcome = bed.dispatch(message);
        assertThat(outcome).isInstanceOf(Outcome.PermanentFailure.class);
        assertThat(failure(outcome).type()).isEqualTo(Failure.Type.BROKER_ERROR);
        return failure(outcome);
    }

    private static ConsumerRecord<byte[], byte[]> onlyRecord(String topic) {
        var records = broker.records(topic, 1);
        assertThat(records).hasSize(1);
        return records.getFirst();
    }
}
