package io.taskexec.api.event;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.api.web.Caller;
import io.taskexec.loop.LoopTimer;
import io.taskexec.model.PublicId;
import io.taskexec.model.Switch;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorMapping;
import io.taskexec.store.auth.ApiKeyStore;
import io.taskexec.store.event.EventStore;
import io.taskexec.store.sql.EventsConfig;
import io.taskexec.testing.EventClient;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.HeldTransaction;
import io.taskexec.testing.Rows;
import io.taskexec.testing.TestDb;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over real connections, without the rest of the API. */
class EventFeedTest {
    /** Half of them for one key, and one kept for administrators. */
    private static final int MOST = 6;

    private static final Duration BOUND = Duration.ofSeconds(20);

    private static TestDb db;
    private static Rows rows;
    private static EventStore store;
    private static ApiKeyStore keys;

    private final LoopTimer timer = new LoopTimer();
    private EventFeed feed;
    private HttpServer server;

    private record Enabled(Switch eventsEnabled) implements EventsConfig {
        @Override
        public int eventsRetentionHours() {
            return 24;
        }
    }

    @BeforeAll
    static void open() {
        db = TestDb.fresh();
        keys = new ApiKeyStore(db.database());
        rows = new Rows(db);
        store = new EventStore(db.database(), new Enabled(Switch.TRUE));
        rows.endpoint(ENDPOINT).insert();
    }

    @AfterAll
    static void close() {
        db.close();
    }

    @BeforeEach
    void listen() {
        feed = new EventFeed(store, keys, MOST, timer);
        server = serve(feed);
    }

    @AfterEach
    void stop() {
        await(feed.stop());
        server.close().toCompletionStage().toCompletableFuture().join();
        timer.close();
    }

    private static HttpServer serve(EventFeed feed) {
        var router = Router.router(TestDb.vertx());
        router.route("/events").handler(request -> follow(feed, request));
        return TestDb.vertx()
                .createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private static void follow(EventFeed feed, RoutingContext request) {
        try {
            var filter = new EventFilter();
            filter.type = request.queryParam("type");
            filter.jobId = request.queryParam("job_id");
            filter.endpoint = request.queryParam("endpoint");
            var id = request.request().getHeader("Last-Event-ID");
            feed.follow(request, caller(request), filter.read(), id == null ? null : (Long) Long.parseLong(id))
                    .subscribe()
                    .with(_ -> {}, failure -> fail(request, failure));
        } catch (ApiException e) {
            fail(request, e);
        }
    }

    /** The name of a key with the scope read, or {@code root} for an administrator. */
    private static Caller caller(RoutingContext request) {
        var key = request.queryParam("key");
        var name = key.isEmpty() ? "root" : key.getFirst();
        return name.equals("root") ? Caller.BOOTSTRAP : new Caller(name, "key_" + name, Set.of(KeyScope.READ));
    }

    private static void fail(RoutingContext request, Throwable failure) {
        var error = ErrorMapping.explain(failure);
        var _ = request.response().setStatusCode(error.code().status()).end(error.code() + ": " + error.getMessage());
    }

    private EventClient client(String query, String... lastId) throws InterruptedException {
        var headers = lastId.length == 0 ? Map.<String, String>of() : Map.of("Last-Event-ID", lastId[0]);
        return new EventClient(URI.create("http://127.0.0.1:" + server.actualPort() + "/events" + query), headers);
    }

    private static UUID write(String kind) {
        var id = rows.live().insert();
        write(id, kind);
        return id;
    }

    private static void write(UUID id, String kind) {
        db.execute("INSERT INTO event_outbox (execution_id, job_id, kind, attempt) VALUES ($1, $1, $2, 1)", id, kind);
    }

    private static void writeMany(int count) {
        db.execute("""
                INSERT INTO event_outbox (execution_id, job_id, kind, attempt, error_type)
                SELECT $1, $1, 'FAILED', 1, repeat('x', 3000) FROM generate_series(1, $2)
                """, UUID.randomUUID(), count);
    }

    @Test
    void eventsComeAsTheyHappenAsCloudEvents() throws InterruptedException {
        var before = write("CREATED");
        try (var client = client("")) {
            assertThat(client.status()).isEqualTo(200);
            assertThat(client.header("Content-Type")).startsWith("text/event-stream");
            assertThat(client.header("X-Request-Id")).startsWith("req_");

            var id = write("SUCCESS");
            var event = client.await(1).getFirst();

            assertThat(event.type()).isEqualTo("io.taskexec.execution.succeeded");
            assertThat(event.data().get("id").textValue()).isEqualTo(event.id());
            assertThat(event.data().get("specversion").textValue()).isEqualTo("1.0");
            assertThat(event.data().get("type").textValue()).isEqualTo(event.type());
            assertThat(event.data().get("source").textValue()).isEqualTo("/taskexec");
            assertThat(event.data().get("subject").textValue()).isEqualTo(PublicId.EXECUTION.show(id));
            assertThat(Instant.parse(event.data().get("time").textValue()))
                    .isBefore(Instant.now().plusSeconds(5));
            var data = "{'execution_id':'%s','job_id':'%s','status':'SUCCESS','attempt':1,'endpoint':'%s'}"
                    .replace('\'', '"')
                    .formatted(PublicId.EXECUTION.show(id), PublicId.JOB.show(id), ENDPOINT);
            assertThat(event.data().get("data")).hasToString(data);
            assertThat(client.events()).as("not " + before).hasSize(1);
        }
    }

    @Test
    void whatBeganBeforeTheStreamAndIsCommittedAfterwardsComesToo() throws InterruptedException {
        var late = rows.live().insert();
        try (var transaction = HeldTransaction.on(db)) {
            assertThat(transaction.run(
                            "INSERT INTO event_outbox (execution_id, job_id, kind, attempt) VALUES ($1, $1, 'LOST', 1)",
                            late))
                    .isEqualTo(1);
            writeMany(1200);
            try (var client = client("")) {
                assertThat(client.status()).isEqualTo(200);
                var _ = write("SUCCESS");
                assertThat(client.await(1)).hasSize(1);

                transaction.commit();

                assertThat(client.await(2)).hasSize(2);
                assertThat(client.types()).containsExactly("succeeded", "lost");
            }
        }
    }

    @Test
    void whoComesBackWithTheLastIdMissesNothing() throws InterruptedException {
        String last;
        try (var client = client("")) {
            var _ = write("CREATED");
            last = client.await(1).getFirst().id();
        }
        var meanwhile =
                IntStream.range(0, 1200).mapToObj(_ -> UUID.randomUUID()).toList();
        db.execute(
                "INSERT INTO event_outbox (execution_id, job_id, kind, attempt) SELECT u, u, 'STARTED', 1 FROM"
                        + " unnest($1::uuid[]) AS u",
                (Object) meanwhile.toArray(UUID[]::new));

        try (var client = client("", last)) {
            var events = client.await(meanwhile.size());

            assertThat(events)
                    .extracting(event -> event.data().at("/data/execution_id").textValue())
                    .containsExactlyElementsOf(
                            meanwhile.stream().map(PublicId.EXECUTION::show).toList());
            var now = write("SUCCESS");
            assertThat(client.await(meanwhile.size() + 1)
                            .getLast()
                            .data()
                            .get("subject")
                            .textValue())
                    .isEqualTo(PublicId.EXECUTION.show(now));
        }
    }

    @Test
    void whoLostTheConnectionBeforeTheFirstEventHasAnIdToComeBackWith() throws InterruptedException {
        String last;
        try (var client = client("")) {
            Eventually.await("an id", BOUND, () -> !client.lastId().isEmpty());
            last = client.lastId();
        }
        var _ = write("SUCCESS");

        try (var client = client("", last)) {
            assertThat(client.await(1).getLast().type()).endsWith("succeeded");
        }
    }

    @Test
    void onlyWhatIsAskedForComes() throws InterruptedException {
        var wanted = rows.live().insert();
        try (var byType =
                        client("?type=" + ExecutionEvent.Kind.SUCCESS.type() + "," + ExecutionEvent.Kind.LOST.type());
                var byJob = client("?job_id=" + PublicId.JOB.show(wanted) + "&endpoint=other&endpoint=" + ENDPOINT);
                var byEndpoint = client("?endpoint=other")) {
            var _ = write("SUCCESS");
            write(wanted, "CREATED");
            write(wanted, "LOST");

            assertThat(byType.await(2)).hasSize(2);
            assertThat(byType.types()).containsExactly("succeeded", "lost");
            assertThat(byJob.await(2)).hasSize(2);
            assertThat(byJob.types()).containsExactly("created", "lost");
            assertThat(byEndpoint.events()).isEmpty();
        }
    }

    @Test
    void aFilterThatFitsNothingIsRefused() throws InterruptedException {
        for (var query : List.of("?type=succeeded", "?job_id=exec_1", "?endpoint=,")) {
            try (var client = client(query)) {
                assertThat(client.status()).as(query).isEqualTo(400);
                assertThat(client.body()).startsWith("INVALID_REQUEST: '");
            }
        }
    }

    @Test
    void anIdWhoseEventsAreGoneOrThatNeverWasIsRefused() throws InterruptedException {
        writeMany(3);
        assertThat(await(store.moveIfAny())).isFalse();
        var end = await(store.extent()).last();
        db.execute("UPDATE event_log SET at = now() - interval '3 days' WHERE position < $1", end);
        while (await(store.removeBefore(Instant.now().minus(Duration.ofDays(2)), 1000)) > 0) {
            assertThat(await(store.extent()).removed()).isPositive();
        }

        for (var id : List.of(end - 2, end + 1)) {
            try (var client = client("", Long.toString(id))) {
                assertThat(client.status()).isEqualTo(410);
                assertThat(client.body()).startsWith("EVENTS_GONE: ");
            }
        }
        try (var client = client("", Long.toString(end - 1))) {
            assertThat(client.await(1).getFirst().id()).isEqualTo(Long.toString(end));
        }
    }

    /** As after a failover to a server that had not got the last commits. */
    @Test
    void aStreamThatIsBeyondTheEndOfTheLogEndsAndItsClientIsToldSo() throws InterruptedException {
        try (var client = client("")) {
            var _ = write("CREATED");
            var lost = client.await(1).getFirst().id();
            db.execute("DELETE FROM event_log WHERE position = $1", Long.parseLong(lost));
            db.execute("UPDATE event_positions SET position = $1 WHERE name = 'log'", Long.parseLong(lost) - 1);

            Eventually.await("the end of the stream", BOUND, client::hasEnded);

            try (var again = client("", lost)) {
                assertThat(again.status()).isEqualTo(410);
            }
            try (var current = client("")) {
                var _ = write("SUCCESS");
                assertThat(current.await(1).getFirst().id()).isEqualTo(lost);
            }
        }
    }

    @Test
    void oneKeyGetsHalfOfTheStreamsAndOthersGetTheRest() throws InterruptedException {
        try (var first = client("?key=a");
                var _ = client("?key=a");
                var _ = client("?key=a");
                var refused = client("?key=a");
                var other = client("?key=b")) {
            assertThat(first.status()).isEqualTo(200);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body())
                    .isEqualTo(
                            "RATE_LIMITED: This API key has 3 event streams at this process; one key may have half of"
                                    + " TE_EVENTS_MAX_STREAMS.");
            assertThat(other.status()).isEqualTo(200);

            first.disconnect();
            awaitPlace("?key=a");
        }
    }

    @Test
    void theLastStreamsAreKeptForAdministratorsUntilAllAreInUse() throws InterruptedException {
        try (var first = client("?key=a");
                var _ = client("?key=a");
                var _ = client("?key=b");
                var _ = client("?key=b");
                var last = client("?key=c");
                var refused = client("?key=d");
                var admin = client("?key=root");
                var nothingLeft = client("?key=root")) {
            assertThat(last.status()).isEqualTo(200);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.body())
                    .isEqualTo("UNAVAILABLE: 5 event streams of this process are in use, and the last 1 of"
                            + " TE_EVENTS_MAX_STREAMS are kept for keys with the scope 'admin'.");
            assertThat(admin.status()).isEqualTo(200);
            assertThat(nothingLeft.status()).isEqualTo(503);
            assertThat(nothingLeft.body())
                    .isEqualTo("UNAVAILABLE: All 6 event streams of this process are in use (TE_EVENTS_MAX_STREAMS).");

            first.disconnect();
            awaitPlace("?key=root");
        }
    }

    @Test
    void ofTenClientsOfOneKeyAtOnceHalfOfTheLimitIsServed() throws InterruptedException {
        var statuses = new ConcurrentLinkedQueue<Integer>();
        var open = new ConcurrentLinkedQueue<EventClient>();
        var clients = IntStream.range(0, 10)
                .mapToObj(_ -> Thread.ofVirtual().start(() -> {
                    try {
                        var client = client("?key=a");
                        open.add(client);
                        statuses.add(client.status());
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }))
                .toList();
        for (var client : clients) {
            client.join();
        }
        open.forEach(EventClient::close);

        assertThat(statuses)
                .hasSize(10)
                .containsOnly(200, 429)
                .filteredOn(status -> status == 200)
                .hasSize(3);
    }

    private void awaitPlace(String query) throws InterruptedException {
        Eventually.await("a place", BOUND, () -> {
            try (var again = client(query)) {
                return again.status() == 200;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void theStreamsOfAKeyEndSoonAfterItIsRevoked() throws InterruptedException {
        for (var name : List.of("kept", "lost")) {
            var permit = new ApiKeyStore.Permit(Set.of(KeyScope.READ), null);
            var _ = await(keys.create("key_" + name, name, name.getBytes(StandardCharsets.UTF_8), permit, null));
        }
        try (var kept = client("?key=kept");
                var lost = client("?key=lost")) {
            assertThat(kept.status()).isEqualTo(200);
            assertThat(await(keys.revoke("key_lost"))).isTrue();

            Eventually.await("the end of the stream", BOUND, lost::hasEnded);
            assertThat(kept.hasEnded()).isFalse();
        }
    }

    @Test
    void whereEventsAreOffTheSettingIsNamed() throws InterruptedException {
        var off = new EventStore(db.database(), new Enabled(Switch.FALSE));
        var other = serve(new EventFeed(off, keys, MOST, timer));
        try (var client = new EventClient(URI.create("http://127.0.0.1:" + other.actualPort() + "/events"), Map.of())) {
            assertThat(client.status()).isEqualTo(409);
            assertThat(client.body()).startsWith("CONFLICT: ").contains("TE_EVENTS_ENABLED");
        } finally {
            other.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @Test
    void whoReadsSlowlyHoldsNobodyUpAndMissesNothing() throws IOException, InterruptedException {
        var many = 5000;
        try (var slow = new Socket(InetAddress.ofLiteral("127.0.0.1"), server.actualPort());
                var quick = client("")) {
            slow.getOutputStream().write("GET /events HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            var in = slow.getInputStream();
            assertThat(in.read()).isEqualTo('H');
            writeMany(many);

            assertThat(quick.await(many)).hasSize(many);

            var last = "id: " + quick.lastId() + "\n";
            var text = new StringBuilder();
            var buffer = new byte[1 << 16];
            slow.setSoTimeout((int) BOUND.toMillis());
            while (text.indexOf("\n\n", Math.max(text.indexOf(last), 0)) < 0 || text.indexOf(last) < 0) {
                text.append(new String(buffer, 0, in.read(buffer), StandardCharsets.UTF_8));
            }
            assertThat(text.toString().lines().filter(line -> line.startsWith("data: ")))
                    .hasSize(many);
        }
    }

    @Test
    void streamsEndWhenTheProcessStops() throws InterruptedException {
        try (var client = client("")) {
            await(feed.stop());

            Eventually.await("the end", BOUND, client::hasEnded);
            assertThat(client.lastId()).isNotEmpty();
        }
    }
}
