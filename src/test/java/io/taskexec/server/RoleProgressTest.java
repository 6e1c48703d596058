package io.taskexec.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.health.api.AsyncHealthCheck;
import io.taskexec.config.Role;
import io.taskexec.model.TaskProgress;
import io.taskexec.testing.Eventually;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponse.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RoleProgressTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(61);

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
    private final EventLoopWatch eventLoops = new EventLoopWatch(vertx);
    private final RoleProgress roleProgress = new RoleProgress(BOUND);

    @AfterEach
    void close() {
        var _ = vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static HealthCheckResponse of(AsyncHealthCheck check) {
        return check.call().await().atMost(SHORT);
    }

    private void watch(@Nullable Duration sinceSuccess, Duration stuck, Duration failing) {
        roleProgress.watch(Role.WORKER, () -> Map.of("claims", new TaskProgress(sinceSuccess, stuck, failing)));
        roleProgress.watch(Role.API, () -> Map.of("jobs", new TaskProgress(SHORT, Duration.ZERO, Duration.ZERO)));
    }

    @Test
    void aProcessWhoseWorkGoesOnIsLiveAndWell() {
        watch(SHORT, SHORT, SHORT);

        assertThat(of(new Liveness(roleProgress, eventLoops)).getStatus()).isEqualTo(Status.UP);
        assertThat(of(new Liveness(roleProgress, eventLoops)).getData().orElseThrow())
                .containsEntry("worker.claims.stuck_ms", 1000L)
                .containsEntry("api.jobs.stuck_ms", 0L);
        assertThat(of(new ProgressCheck(roleProgress)).getStatus()).isEqualTo(Status.UP);
        assertThat(of(new ProgressCheck(roleProgress)).getData().orElseThrow())
                .containsEntry("worker.claims.last_success_ms", 1000L);
    }

    @Test
    void whatFailsForTooLongMakesItUnwellAndNotDead() {
        watch(null, SHORT, LONG);

        assertThat(of(new Liveness(roleProgress, eventLoops)).getStatus()).isEqualTo(Status.UP);
        assertThat(of(new ProgressCheck(roleProgress)).getStatus()).isEqualTo(Status.DOWN);
        assertThat(of(new ProgressCheck(roleProgress)).getData().orElseThrow())
                .containsEntry("worker.claims.failing_ms", 61_000L)
                .doesNotContainKey("worker.claims.last_success_ms");
    }

    @Test
    void whatIsStuckForTooLongMakesItDead() {
        watch(LONG, LONG, LONG);

        assertThat(of(new Liveness(roleProgress, eventLoops)).getStatus()).isEqualTo(Status.DOWN);
        assertThat(of(new Liveness(roleProgress, eventLoops)).getData().orElseThrow())
                .containsEntry("worker.claims.stuck_ms", 61_000L);
    }

    @Test
    void itHasStartedWhenTheRolesHave() {
        watch(null, Duration.ZERO, Duration.ZERO);
        assertThat(of(new Started(roleProgress)).getStatus()).isEqualTo(Status.DOWN);

        roleProgress.started();

        assertThat(of(new Started(roleProgress)).getStatus()).isEqualTo(Status.UP);
    }

    @Test
    void aBlockedEventLoopMakesItDeadUntilItGoesOn() throws InterruptedException {
        watch(SHORT, SHORT, SHORT);
        eventLoops.start();
        var liveness = new Liveness(roleProgress, eventLoops, Duration.ofSeconds(3));
        assertThat(of(liveness).getStatus()).isEqualTo(Status.UP);

        var blocked = new CountDownLatch(1);
        vertx.runOnContext(_ -> await(blocked));
        try {
            Eventually.await("not live", BOUND, () -> of(liveness).getStatus() == Status.DOWN);
            assertThat((Long) of(liveness).getData().orElseThrow().get("event_loops.blocked_ms"))
                    .isGreaterThanOrEqualTo(3000L);
            assertThat(of(new Liveness(roleProgress, eventLoops)).getStatus()).isEqualTo(Status.UP);
        } finally {
            blocked.countDown();
        }

        Eventually.await("live again", BOUND, () -> of(liveness).getStatus() == Status.UP);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
