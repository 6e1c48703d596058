package io.taskexec.dispatch.redis;

import static io.taskexec.dispatch.redis.RedisTestBed.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.StatefulRedisConnection;
import io.taskexec.dispatch.egress.EgressConfig;
import io.taskexec.dispatch.egress.EgressGuard;
import io.taskexec.dispatch.egress.TestEgress;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.RedisServer;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What becomes of connections, each to another database of one server. */
class RedisConnectionsTest {
    private static final int MOST = 3;

    private static final Vertx vertx = Vertx.vertx();
    private static RedisServer redis;

    private final AtomicLong nanoTime = new AtomicLong();
    private final RedisConnections connections = new RedisConnections(
            vertx,
            new RedisConnector(vertx, new EgressGuard(new TestEgress(EgressConfig.Mode.OPEN)), null),
            nanoTime::get,
            MOST);

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        redis.close();
    }

    @AfterEach
    void close() {
        connections.close();
    }

    private static RedisTarget database(int number) {
        return RedisTarget.of(redis.url() + "/" + number);
    }

    private SharedConnection take(int database) {
        return Objects.requireNonNull(connections.take(database(database)));
    }

    private static StatefulRedisConnection<String, String> opened(SharedConnection shared) {
        return shared.opening.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static void awaitClosed(StatefulRedisConnection<String, String> connection) throws InterruptedException {
        Eventually.await("the connection is closed", PATIENCE, () -> !connection.isOpen());
    }

    @Test
    void thereIsNoneAtFirst() {
        assertThat(connections.open()).isZero();
    }

    @Test
    void allThatUseATargetShareOne() {
        assertThat(take(1)).isSameAs(take(1)).isNotSameAs(take(2));
        assertThat(connections.open()).isEqualTo(2);
    }

    @Test
    void theOneThatNobodyHasUsedForLongestMakesRoom() throws InterruptedException {
        var first = take(1);
        var second = take(2);
        var third = take(3);
        connections.giveBack(first);
        connections.giveBack(second);
        connections.giveBack(third);
        connections.giveBack(take(1));

        var fourth = take(4);

        assertThat(connections.open()).isEqualTo(MOST);
        awaitClosed(opened(second));
        assertThat(opened(first).isOpen()).isTrue();
        assertThat(opened(third).isOpen()).isTrue();
        assertThat(opened(fourth).isOpen()).isTrue();
    }

    @Test
    void oneInUseNeverMakesRoom() {
        var first = take(1);
        var _ = take(2);
        var _ = take(3);

        assertThat(connections.take(database(4))).isNull();
        assertThat(take(1)).isSameAs(first);
        assertThat(opened(first).isOpen()).isTrue();
    }

    @Test
    void oneThatIsRetiredKeepsItsPlaceUntilTheLastOneHasGivenItBack() throws InterruptedException {
        var first = take(1);
        var _ = take(1);
        connections.retire(first);
        assertThat(take(1)).isNotSameAs(first);
        assertThat(connections.open()).isEqualTo(2);

        connections.giveBack(first);
        assertThat(opened(first).isOpen()).isTrue();
        connections.giveBack(first);

        awaitClosed(opened(first));
        assertThat(connections.open()).isEqualTo(1);
    }

    @Test
    void oneThatNobodyUsesForTenMinutesIsClosed() throws InterruptedException {
        var idle = take(1);
        var used = take(2);
        var connection = opened(idle);
        connections.giveBack(idle);
        nanoTime.addAndGet(RedisConnections.IDLE.toNanos() - 1);
        connections.closeIdle();
        assertThat(connections.open()).isEqualTo(2);

        nanoTime.addAndGet(1);
        connections.closeIdle();

        awaitClosed(connection);
        assertThat(connections.open()).isEqualTo(1);
        assertThat(opened(used).isOpen()).isTrue();
    }

    @Test
    void oneThatCannotBeOpenedGivesUpItsPlace() throws InterruptedException {
        var nobody = RedisTarget.of("redis://127.0.0.1:" + Program.freePort());
        var shared = Objects.requireNonNull(connections.take(nobody));

        Eventually.await("it has failed", PATIENCE, () -> shared.opening.isCompletedExceptionally());

        connections.giveBack(shared);
        assertThat(connections.open()).isZero();
    }
}
