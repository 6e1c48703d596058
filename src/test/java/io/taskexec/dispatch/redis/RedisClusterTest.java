package io.taskexec.dispatch.redis;

import static io.taskexec.dispatch.redis.RedisTestBed.PATIENCE;
import static io.taskexec.dispatch.redis.RedisTestBed.after;
import static io.taskexec.dispatch.redis.RedisTestBed.delivery;
import static io.taskexec.dispatch.redis.RedisTestBed.entry;
import static io.taskexec.dispatch.redis.RedisTestBed.messageId;
import static io.taskexec.dispatch.redis.RedisTestBed.permanent;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.taskexec.model.job.Failure;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.RedisServer;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster of three servers, of which a URL names one. */
class RedisClusterTest {
    private static final int NODES = 3;

    /** How each one begins. */
    private static final Pattern COMMAND = Pattern.compile("^\\*\\d+\\r\\n", Pattern.MULTILINE);

    private static final List<RedisServer> nodes = new ArrayList<>();
    private static RedisTestBed bed;

    @BeforeAll
    static void start() throws InterruptedException {
        for (var i = 0; i < NODES; i++) {
            var node = RedisServer.start("--cluster-enabled", "yes");
            nodes.add(node);
            var slots = IntStream.range(i * SlotHash.SLOT_COUNT / NODES, (i + 1) * SlotHash.SLOT_COUNT / NODES);
            assertThat(node.say("CLUSTER ADDSLOTS "
                            + String.join(" ", slots.mapToObj(Integer::toString).toList())))
                    .isEqualTo("+OK");
            if (i > 0) {
                assertThat(node.say("CLUSTER MEET 127.0.0.1 " + nodes.getFirst().port()))
                        .isEqualTo("+OK");
            }
        }
        for (var node : nodes) {
            Eventually.await(
                    "the cluster is whole",
                    PATIENCE,
                    () -> node.client().clusterInfo(),
                    info -> info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + NODES));
        }
        bed = new RedisTestBed();
    }

    @AfterAll
    static void stop() {
        bed.close();
        nodes.forEach(RedisServer::close);
    }

    private static RedisServer ownerOf(String stream) {
        return nodes.get(SlotHash.getSlot(stream) * NODES / SlotHash.SLOT_COUNT);
    }

    private static RedisServer anotherThan(RedisServer owner) {
        return nodes.stream().filter(node -> node != owner).findFirst().orElseThrow();
    }

    @Test
    void anEntryGetsToTheNodeThatHasItsStreamWhichNodeEverTheUrlNames() {
        var streams = Stream.of("a", "b", "c", "orders:{7}", "x}y", "{}", "{", "}{", "a{b}c{d}", "Grüße}")
                .toList();
        assertThat(streams.stream().map(RedisClusterTest::ownerOf).distinct()).hasSize(NODES);

        for (var stream : streams) {
            var owner = ownerOf(stream);
            var delivery = delivery();
            var id = messageId(bed.dispatch(entry(anotherThan(owner).url(), stream), delivery));
            var again = messageId(bed.dispatch(entry(owner.url(), stream), after(delivery)));

            assertThat(owner.entries(stream)).as(stream).hasSize(1);
            assertThat(owner.entries(stream).getFirst().getId()).isEqualTo(id).isEqualTo(again);
        }
    }

    @Test
    void aStreamThatHasMovedIsFollowed() {
        var owner = ownerOf("moving");
        var other = anotherThan(owner);
        assertThat(messageId(bed.dispatch(entry(other.url(), "moving")))).isNotEmpty();
        var slot = SlotHash.getSlot("moving");
        assertThat(owner.say("DEL moving")).isEqualTo(":1");
        owner.client()
                .keys("taskexec:dedup:{moving}:*")
                .forEach(key -> assertThat(owner.say("DEL " + key)).isEqualTo(":1"));
        var newOwner = other.client().clusterMyId();
        for (var node : nodes) {
            assertThat(node.say("CLUSTER SETSLOT " + slot + " NODE " + newOwner))
                    .isEqualTo("+OK");
        }

        assertThat(messageId(bed.dispatch(entry(owner.url(), "moving")))).isNotEmpty();
        assertThat(messageId(bed.dispatch(entry(other.url(), "moving")))).isNotEmpty();

        assertThat(other.entries("moving")).hasSize(2);
    }

    @Test
    void aNodeThatMayNotBeCalledIsNot() {
        var port = bed.vertx
                .createNetServer()
                .connectHandler(socket -> socket.handler(commands -> {
                    var _ = socket.write(answers(commands));
                }))
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();

        var failure = permanent(bed.dispatch(entry("redis://127.0.0.1:" + port, "s")));

        assertThat(failure.type()).isEqualTo(Failure.Type.EGRESS_BLOCKED);
        assertThat(failure.message()).startsWith("169.254.169.254 is ");
    }

    /** All is well, but for scripts, which another node is to run. */
    private static Buffer answers(Buffer commands) {
        return Buffer.buffer(COMMAND.splitAsStream(commands.toString())
                .filter(command -> !command.isEmpty())
                .map(command -> command.contains("EVALSHA") ? "-MOVED 1 169.254.169.254:6379\r\n" : "+OK\r\n")
                .collect(Collectors.joining()));
    }
}
