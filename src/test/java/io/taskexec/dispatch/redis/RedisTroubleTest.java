package io.taskexec.dispatch.redis;

import static io.taskexec.dispatch.redis.RedisTestBed.PATIENCE;
import static io.taskexec.dispatch.redis.RedisTestBed.after;
import static io.taskexec.dispatch.redis.RedisTestBed.delivery;
import static io.taskexec.dispatch.redis.RedisTestBed.entry;
import static io.taskexec.dispatch.redis.RedisTestBed.messageId;
import static io.taskexec.dispatch.redis.RedisTestBed.permanent;
import static io.taskexec.dispatch.redis.RedisTestBed.retryable;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.subscription.Cancellable;
import io.taskexec.dispatch.egress.AddressCache;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.EgressPolicy;
import io.taskexec.dispatch.egress.HostLookup;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Servers that are away, hang, or are not to be called. */
class RedisTroubleTest {
    private static final Duration SHORT = Duration.ofMillis(400);

    private static RedisServer redis;
    private static RedisTestBed bed;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisServer.start();
        bed = new RedisTestBed();
    }

    @AfterAll
    static void stop() {
        bed.close();
        redis.close();
    }

    private static void assertTimesOut(RedisTestBed with, StreamEntry entry) {
        var begin = System.nanoTime();
        assertThat(with.dispatch(entry.withTimeout(SHORT)))
                .isEqualTo(new Outcome.RetryableFailure(
                        new Failure(Failure.Type.TIMEOUT, "No complete answer within 400 ms"), null));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(SHORT, PATIENCE);
    }

    @Test
    void aServerThatIsNotThereIsAConnectionError() {
        var port = Program.freePort();

        assertThat(retryable(bed.dispatch(entry("redis://127.0.0.1:" + port, "s"))))
                .isEqualTo(new Failure(
                        Failure.Type.CONNECTION_ERROR, "Cannot connect to 127.0.0.1:" + port + ": Connection refused"));
    }

    @Test
    void aNameThatIsNotThereIsAConnectionError() {
        assertThat(retryable(bed.dispatch(entry("redis://:secret@nowhere.invalid", "s"))))
                .isEqualTo(new Failure(Failure.Type.CONNECTION_ERROR, "Unknown host nowhere.invalid"));
    }

    @Test
    void aServerThatSaysNothingTimesOut() throws IOException {
        try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            assertTimesOut(bed, entry("redis://127.0.0.1:" + silent.getLocalPort(), "s"));
        }
    }

    @Test
    void aServerThatClosesConnectionsIsAConnectionError() throws IOException {
        try (var rude = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var _ = Thread.ofVirtual().start(() -> {
                try {
                    // The dispatcher connects again when it was told no reason.
                    while (!rude.isClosed()) {
                        rude.accept().close();
                    }
                } catch (IOException _) {
                    // The test is over.
                }
            });
            var failure = retryable(bed.dispatch(entry("redis://127.0.0.1:" + rude.getLocalPort(), "s")));
            assertThat(failure.type()).isEqualTo(Failure.Type.CONNECTION_ERROR);
            assertThat(failure.message()).startsWith("The connection to 127.0.0.1:" + rude.getLocalPort() + " broke: ");
        }
    }

    /** One that waits for the address of any name for as long as it has patience. */
    private static RedisTestBed waiting() {
        var policy = new EgressPolicy(EgressConfig.Mode.OPEN, List.of(), List.of());
        var guard = new EgressGuard(
                policy, new AddressCache(HostLookup.SYSTEM, _ -> {}, System::nanoTime), TestEgress.NO_INTERFACES);
        return new RedisTestBed(guard, null);
    }

    @Test
    void aNameServerThatNeverAnswersTimesOut() {
        try (var waiting = waiting()) {
            assertTimesOut(waiting, entry("redis://silent.example", "s"));
        }
    }

    @Test
    void thereAreNoMoreConnectionsThanMayBeInUse() {
        try (var waiting = waiting()) {
            var running = IntStream.range(0, 256)
                    .mapToObj(database -> waiting.dispatcher
                            .dispatch(entry("redis://silent.example/" + database, "s"), delivery())
                            .subscribe()
                            .with(_ -> {}))
                    .toList();
            assertThat(waiting.dispatcher.connections()).isEqualTo(256);

            assertThat(retryable(waiting.dispatch(entry("redis://silent.example/256", "s"))))
                    .isEqualTo(new Failure(
                            Failure.Type.CONNECTION_ERROR,
                            "Too many connections to Redis are in use to open one to silent.example:6379"));

            running.forEach(Cancellable::cancel);
        }
    }

    @Test
    void whatAFrozenServerAddsLaterIsFoundByTheNextAttempt() throws InterruptedException {
        try (var frozen = RedisServer.start()) {
            var _ = messageId(bed.dispatch(entry(frozen.url(), "s")));
            var delivery = delivery();
            frozen.freeze();
            try {
                assertThat(retryable(bed.dispatch(entry(frozen.url(), "s").withTimeout(SHORT), delivery))
                                .type())
                        .isEqualTo(Failure.Type.TIMEOUT);
            } finally {
                frozen.thaw();
            }
            Eventually.await(
                    "it has added the entry",
                    PATIENCE,
                    () -> frozen.entries("s").size() == 2);

            var id = messageId(bed.dispatch(entry(frozen.url(), "s"), after(delivery)));

            assertThat(frozen.entries("s")).hasSize(2);
            assertThat(frozen.entries("s").getLast().getId()).isEqualTo(id);
            assertThat(frozen.entries("s").getLast().getBody()).containsEntry("taskexec-attempt", "1");
        }
    }

    @Test
    void aServerThatComesBackIsDeliveredToAgain() throws InterruptedException {
        try (var unsteady = RedisServer.start()) {
            var _ = messageId(bed.dispatch(entry(unsteady.url(), "s")));

            unsteady.kill();
            assertThat(retryable(bed.dispatch(entry(unsteady.url(), "s"))).type())
                    .isEqualTo(Failure.Type.CONNECTION_ERROR);

            unsteady.startAgain();
            assertThat(bed.dispatch(entry(unsteady.url(), "s"))).isInstanceOf(Outcome.Succeeded.class);
        }
    }

    @Test
    void cancellingGivesTheConnectionBack() throws Exception {
        try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var own = new RedisTestBed()) {
            var accepted = CompletableFuture.supplyAsync(() -> {
                try {
                    return silent.accept();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            var running = own.dispatcher
                    .dispatch(entry("redis://127.0.0.1:" + silent.getLocalPort(), "s"), delivery())
                    .subscribe()
                    .with(_ -> {});
            var socket = accepted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            running.cancel();
            socket.close();

            Eventually.await("its place is free", PATIENCE, () -> own.dispatcher.connections() == 0);
        }
    }

    @Test
    void anAddressThatIsDeniedIsNeverCalled() {
        try (var guarded = new RedisTestBed(new EgressGuard(new TestEgress(EgressConfig.Mode.PRIVATE)), null)) {
            assertThat(permanent(guarded.dispatch(entry(redis.url(), "denied"))))
                    .isEqualTo(new Failure(
                            Failure.Type.EGRESS_BLOCKED,
                            "127.0.0.1 is a loopback address, which TE_EGRESS_MODE=private does not allow"));
            assertThat(permanent(guarded.dispatch(entry("redis://localhost:" + redis.port(), "denied")))
                            .message())
                    .startsWith("localhost is a name of a loopback address");
            assertThat(guarded.dispatcher.connections()).isZero();
        }
        assertThat(redis.entries("denied")).isEmpty();
    }

    @Test
    void aNameThatChangesBetweenLookupsIsConnectedToWhereItWasChecked() {
        var asked = new AtomicInteger();
        HostLookup rebinding =
                _ -> List.of(InetAddress.ofLiteral(asked.getAndIncrement() == 0 ? "127.0.0.1" : "169.254.169.254"));
        var policy = new EgressPolicy(EgressConfig.Mode.OPEN, List.of(), List.of());
        // Nothing is remembered: each look is a lookup.
        var time = new AtomicLong();
        var guard = new EgressGuard(
                policy,
                new AddressCache(rebinding, Runnable::run, () -> time.addAndGet(AddressCache.LIFE.toNanos())),
                TestEgress.NO_INTERFACES);
        try (var guarded = new RedisTestBed(guard, null)) {
            var url = "redis://rebinding.example:" + redis.port();
            assertThat(guarded.dispatch(entry(url, "rebound"))).isInstanceOf(Outcome.Succeeded.class);
            assertThat(asked).hasValue(1);
            assertThat(redis.entries("rebound")).hasSize(1);

            assertThat(permanent(guarded.dispatch(entry(url + "/1", "rebound"))).type())
                    .isEqualTo(Failure.Type.EGRESS_BLOCKED);
            assertThat(asked).hasValue(2);
        }
    }
}
