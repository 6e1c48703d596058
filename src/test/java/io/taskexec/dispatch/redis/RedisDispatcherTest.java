package io.taskexec.dispatch.redis;

import static io.taskexec.dispatch.redis.RedisTestBed.PATIENCE;
import static io.taskexec.dispatch.redis.RedisTestBed.after;
import static io.taskexec.dispatch.redis.RedisTestBed.delivery;
import static io.taskexec.dispatch.redis.RedisTestBed.entry;
import static io.taskexec.dispatch.redis.RedisTestBed.messageId;
import static io.taskexec.dispatch.redis.RedisTestBed.permanent;
import static io.taskexec.dispatch.redis.RedisTestBed.retryable;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Multi;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Delivery;
import io.taskexec.model.delivery.DeliveryExtras;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.delivery.Signer;
import io.taskexec.model.delivery.StreamEntry;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.RedisServer;
import io.taskexec.testing.Rows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deliveries to a Redis that is well, and what it refuses. */
class RedisDispatcherTest {
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

    @BeforeEach
    void empty() {
        var _ = redis.client().flushall();
    }

    private static StreamEntry to(String stream) {
        return entry(redis.url(), stream);
    }

    private static StreamEntry trimmed(int maxLen, boolean approximate) {
        return new StreamEntry(redis.url(), "trimmed", Map.of("n", "1"), maxLen, approximate, PATIENCE);
    }

    private static String loggingInAs(String userInfo) {
        return redis.url().replace("://", "://" + userInfo + "@");
    }

    @Test
    void theFieldsArriveInTheirOrderWithTheIdentityBehindThem() {
        var fields = new LinkedHashMap<String, String>();
        fields.put("z", "Grüße\n\u0000 \"😀\"");
        fields.put("a", "");
        var delivery = delivery();

        var outcome = bed.dispatch(new StreamEntry(redis.url(), "s", fields, null, true, PATIENCE), delivery);

        var stored = redis.entries("s").getFirst();
        assertThat(outcome)
                .isEqualTo(new Outcome.Succeeded(Rows.json("{'message_id': '" + stored.getId() + "', 'stream': 's'}")));
        var execution = PublicId.EXECUTION.show(delivery.executionId());
        var trace = String.valueOf(stored.getBody().get("traceparent"));
        assertThat(trace).startsWith("00-4bf92f3577b34da6a3ce929d0e0e4736-");
        assertThat(stored.getBody())
                .containsExactly(
                        Map.entry("z", "Grüße\n\u0000 \"😀\""),
                        Map.entry("a", ""),
                        Map.entry("idempotency-key", execution),
                        Map.entry("taskexec-execution-id", execution),
                        Map.entry("taskexec-job-id", PublicId.JOB.show(delivery.jobId())),
                        Map.entry("taskexec-attempt", "1"),
                        Map.entry("taskexec-scheduled-for", "2026-03-01T12:00:00.250Z"),
                        Map.entry("traceparent", trace));
    }

    @Test
    void anEntryIsSignedOverItsFieldsAndMayBeACloudEvent() {
        var fields = new LinkedHashMap<String, String>();
        fields.put("z", "1");
        fields.put("a", "\"ü\"");
        Signer showing = (id, timestamp, body) -> id + "." + timestamp + "." + new String(body, UTF_8);
        var plain = delivery();
        var delivery = new Delivery(
                plain.executionId(),
                plain.jobId(),
                1,
                plain.scheduledFor(),
                null,
                new DeliveryExtras(showing, new DeliveryExtras.CloudEvent("/here", "order")));

        var _ = messageId(bed.dispatch(new StreamEntry(redis.url(), "s", fields, null, true, PATIENCE), delivery));

        var execution = PublicId.EXECUTION.show(delivery.executionId());
        var stored = redis.onlyEntry("s");
        assertThat(stored)
                .containsEntry("ce_id", execution)
                .containsEntry("ce_source", "/here")
                .containsEntry("ce_type", "order")
                .containsEntry("webhook-id", execution)
                .containsEntry(
                        "webhook-signature",
                        execution + "." + stored.get("webhook-timestamp") + ".{\"z\":\"1\",\"a\":\"\\\"ü\\\"\"}");
    }

    @Test
    void manyAttemptsOfAnExecutionAddOneEntryAndGiveItsId() {
        var delivery = delivery();
        var first = messageId(bed.dispatch(to("s"), delivery));

        var again = IntStream.range(0, 20)
                .mapToObj(_ -> messageId(bed.dispatch(to("s"), after(delivery))))
                .distinct();

        assertThat(again).containsExactly(first);
        assertThat(redis.onlyEntry("s")).containsEntry("taskexec-attempt", "1");
    }

    @Test
    void attemptsAtTheSameTimeAddOneEntryToo() {
        var delivery = delivery();

        var ids = Multi.createFrom()
                .range(0, 200)
                .onItem()
                .transformToUni(_ -> bed.dispatcher.dispatch(to("s"), delivery))
                .merge(200)
                .map(RedisTestBed::messageId)
                .collect()
                .asSet()
                .await()
                .atMost(PATIENCE);

        assertThat(ids).hasSize(1);
        assertThat(redis.entries("s")).hasSize(1);
    }

    @Test
    void theEntryOfAnExecutionIsRememberedForTheTimeThatIsSet() {
        var delivery = delivery();
        var _ = bed.dispatch(to("s"), delivery);

        var key = "taskexec:dedup:{s}:" + PublicId.EXECUTION.show(delivery.executionId());

        assertThat(redis.client().get(key))
                .isEqualTo(redis.entries("s").getFirst().getId());
        assertThat(redis.client().ttl(key)).isBetween(23 * 3600L, 24 * 3600L);
    }

    @Test
    void aServerThatHasForgottenTheScriptIsSentItAgain() {
        var _ = bed.dispatch(to("s"));
        var _ = redis.client().scriptFlush();

        assertThat(bed.dispatch(to("s"))).isInstanceOf(Outcome.Succeeded.class);
        assertThat(redis.entries("s")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b}c", "a}b", "{}", "{", "}", "a{}b{c}", "a b:c"})
    void aStreamMayHaveAnyName(String name) {
        assertThat(bed.dispatch(to(name))).isInstanceOf(Outcome.Succeeded.class);
        assertThat(redis.entries(name)).hasSize(1);
    }

    @Test
    void exactTrimmingKeepsSoManyEntries() {
        IntStream.range(0, 150).forEach(_ -> {
            var _ = messageId(bed.dispatch(trimmed(7, false)));
        });

        assertThat(redis.entries("trimmed")).hasSize(7);
    }

    @Test
    void approximateTrimmingKeepsSomewhatMore() {
        IntStream.range(0, 350).forEach(_ -> {
            var _ = messageId(bed.dispatch(trimmed(7, true)));
        });

        assertThat(redis.entries("trimmed").size()).isBetween(8, 150);
    }

    @Test
    void theDatabaseOfThePathIsUsed() {
        var _ = messageId(bed.dispatch(entry(redis.url() + "/5", "s")));

        assertThat(redis.entries("s")).isEmpty();
        assertThat(redis.client().select(5)).isEqualTo("OK");
        try {
            assertThat(redis.entries("s")).hasSize(1);
        } finally {
            var _ = redis.client().select(0);
        }
    }

    @Test
    void anUnknownDatabaseIsAPermanentFailure() {
        var failure = permanent(bed.dispatch(entry(redis.url() + "/99", "s")));

        assertThat(failure.type()).isEqualTo(Failure.Type.STREAM_ERROR);
        assertThat(failure.message()).contains("answered: ERR DB index is out of range");
    }

    @Test
    void aKeyOfAnotherTypeIsAPermanentFailure() {
        var _ = redis.client().set("s", "text");

        assertThat(permanent(bed.dispatch(to("s"))))
                .isEqualTo(new Failure(
                        Failure.Type.STREAM_ERROR,
                        "127.0.0.1:" + redis.port()
                                + " answered: WRONGTYPE Operation against a key holding the wrong kind of value"));
    }

    @Test
    void aUserLogsInWithWhateverCharactersThePasswordHas() {
        acl("SETUSER app on >p@ss/w%:d ~* +@all");

        assertThat(bed.dispatch(entry(loggingInAs("app:p%40ss%2Fw%25:d"), "s"))).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aUserWithoutAPasswordLogsInToo() {
        acl("SETUSER open on nopass ~own ~taskexec:dedup:* +@all");

        assertThat(bed.dispatch(entry(loggingInAs("open:"), "own"))).isInstanceOf(Outcome.Succeeded.class);
        // The user of those who do not log in may do this.
        assertThat(permanent(bed.dispatch(entry(loggingInAs("open:"), "s"))).message())
                .contains("NOPERM");
    }

    @Test
    void aWrongPasswordIsAPermanentFailureAndIsNotShown() {
        acl("SETUSER app on >right ~* +@all");

        var failure = permanent(bed.dispatch(entry(loggingInAs("app:wrong-secret"), "s")));

        assertThat(failure.type()).isEqualTo(Failure.Type.STREAM_ERROR);
        assertThat(failure.message()).contains("WRONGPASS").doesNotContain("wrong-secret");
    }

    @Test
    void aMissingPasswordIsAPermanentFailure() throws InterruptedException {
        try (var locked = RedisServer.start("--requirepass", "secret")) {
            assertThat(permanent(bed.dispatch(entry(locked.url(), "s"))).message())
                    .contains("NOAUTH");

            var url = locked.url().replace("://", "://:secret@");
            assertThat(bed.dispatch(entry(url, "s"))).isInstanceOf(Outcome.Succeeded.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "~other +@all",
                "~* +@all -evalsha",
                "~* +@all -xadd",
            })
    void aMissingPermissionIsAPermanentFailure(String rules) {
        // Redis ends the connections of a user that is deleted. With a user of its own, no case finds a broken one.
        var user = "limited-" + Integer.toHexString(rules.hashCode());
        acl("SETUSER " + user + " on >p " + rules);

        var failure = permanent(bed.dispatch(entry(loggingInAs(user + ":p"), "s")));

        assertThat(failure.type()).isEqualTo(Failure.Type.STREAM_ERROR);
        assertThat(failure.message()).containsAnyOf("NOPERM", "The user executing the script can't run this command");
    }

    @Test
    void aUserNeedsNoMoreThanTheDocumentsSay() {
        acl("SETUSER least reset on >p ~s ~taskexec:dedup:* +evalsha +eval +xadd +get +set");

        assertThat(bed.dispatch(entry(loggingInAs("least:p"), "s"))).isInstanceOf(Outcome.Succeeded.class);
    }

    @Test
    void aServerWithoutMemoryMayHaveSomeLater() {
        var _ = redis.client().configSet("maxmemory", "1");
        try {
            assertThat(retryable(bed.dispatch(to("s"))).message()).contains("answered: OOM command not allowed");
        } finally {
            var _ = redis.client().configSet("maxmemory", "0");
        }
    }

    @Test
    void aReplicaMayBecomeAPrimary() throws InterruptedException {
        try (var replica = RedisServer.start("--replicaof", "127.0.0.1", "" + redis.port())) {
            Eventually.await(
                    "the replica has its data",
                    PATIENCE,
                    () -> replica.client().info("replication").contains("master_link_status:up"));

            assertThat(retryable(bed.dispatch(entry(replica.url(), "s"))).message())
                    .contains("answered: READONLY");
        }
    }

    @Test
    void aConnectionToAPrimaryThatHasBecomeAReplicaIsReplaced() throws InterruptedException {
        try (var old = RedisServer.start();
                var own = new RedisTestBed()) {
            var _ = messageId(own.dispatch(entry(old.url(), "s")));
            assertThat(own.dispatcher.connections()).isEqualTo(1);
            assertThat(old.say("REPLICAOF 127.0.0.1 " + redis.port())).isEqualTo("+OK");

            assertThat(retryable(own.dispatch(entry(old.url(), "s")))).isNotNull();

            Eventually.await("it is closed", PATIENCE, () -> own.dispatcher.connections() == 0);
        }
    }

    @Test
    void aServerThatRunsALongScriptIsARetryableFailure() throws Exception {
        try (var busy = RedisServer.start("--lua-time-limit", "50")) {
            var _ = messageId(bed.dispatch(entry(busy.url(), "s")));
            var looping = CompletableFuture.supplyAsync(() -> busy.say("EVAL \"while true do end\" 0"));
            Eventually.await(
                    "the server is busy",
                    PATIENCE,
                    () -> bed.dispatch(entry(busy.url(), "s")),
                    outcome -> outcome instanceof Outcome.RetryableFailure(var failure, var _)
                            && failure.message().contains("answered: BUSY"));
            assertThat(busy.say("SCRIPT KILL")).isEqualTo("+OK");
            assertThat(looping.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).startsWith("-ERR");
        }
    }

    @Test
    void allDeliveriesToATargetShareAConnectionAndOthersHaveTheirOwn() {
        IntStream.range(0, 100).forEach(_ -> {
            var _ = messageId(bed.dispatch(entry(redis.url() + "/7", "s")));
        });
        assertThat(clientsOfDatabase(7)).isEqualTo(1);

        var _ = messageId(bed.dispatch(entry(redis.url() + "/8", "s")));
        assertThat(clientsOfDatabase(7)).isEqualTo(1);
        assertThat(clientsOfDatabase(8)).isEqualTo(1);
    }

    private static long clientsOfDatabase(int number) {
        return redis.client()
                .clientList()
                .lines()
                .filter(line -> line.contains("name=taskexec") && line.contains(" db=" + number + " "))
                .count();
    }

    @Test
    void aConnectionThatTheServerClosesGivesUpItsPlaceAndIsReplaced() throws InterruptedException {
        try (var own = new RedisTestBed()) {
            var url = redis.url() + "/9";
            var _ = messageId(own.dispatch(entry(url, "s")));
            assertThat(own.dispatcher.connections()).isEqualTo(1);

            redis.client()
                    .clientList()
                    .lines()
                    .filter(line -> line.contains("name=taskexec") && line.contains(" db=9 "))
                    .map(line -> line.replaceAll("^id=(\\d+) .*", "$1"))
                    .forEach(id -> assertThat(redis.say("CLIENT KILL ID " + id)).isEqualTo(":1"));

            Eventually.await("its place is free", PATIENCE, () -> own.dispatcher.connections() == 0);
            assertThat(own.dispatch(entry(url, "s"))).isInstanceOf(Outcome.Succeeded.class);
        }
    }

    @Test
    void aFieldWithANameOfOursIsRefused() {
        var entry = new StreamEntry(redis.url(), "s", Map.of("Taskexec-Attempt", "7"), null, true, PATIENCE);

        assertThat(permanent(bed.dispatch(entry)))
                .isEqualTo(new Failure(
                        Failure.Type.INVALID_CONFIGURATION, "The name of the field Taskexec-Attempt is reserved"));
    }

    @Test
    void theOutcomeComesOnTheLoopThatAskedForIt() throws Exception {
        var threads = new CompletableFuture<List<Thread>>();
        bed.vertx.getOrCreateContext().runOnContext(_ -> {
            var asking = Thread.currentThread();
            var _ = bed.dispatcher
                    .dispatch(to("s"), delivery())
                    .subscribe()
                    .with(_ -> threads.complete(List.of(asking, Thread.currentThread())));
        });

        assertThat(threads.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .satisfies(it -> assertThat(it.getFirst()).isSameAs(it.getLast()));
    }

    private static void acl(String words) {
        assertThat(redis.say("ACL " + words)).matches("\\+OK|:1");
    }
}
