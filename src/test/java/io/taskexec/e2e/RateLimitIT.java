package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RateLimitIT {
    private static final int PER_SEC = 5;
    private static final int ASKED = 50;

    private static final Program program = Program.serving(ServerDb.fresh(RateLimitIT.class))
            .with("TE_RATE_LIMIT_PER_SEC", "" + PER_SEC)
            .start();
    private static final Api api = program.api();

    @BeforeAll
    static void awaitReady() throws InterruptedException {
        program.awaitReady();
    }

    @AfterAll
    static void stop() {
        program.close();
    }

    @Test
    void whoAsksTooOftenIsToldToWaitAndThenServedAgain() throws InterruptedException {
        // The first request is slow while the program is new, and that would give time to earn another one.
        var _ = api.bare().get("/jobs");
        var begin = System.nanoTime();
        var responses = Stream.generate(() -> api.get("/jobs")).limit(ASKED).toList();
        var seconds = (System.nanoTime() - begin) / 1e9;

        var refused = responses.stream()
                .filter(r -> r.statusCode() == 429)
                .findFirst()
                .orElseThrow();
        assertThat(refused.<String>path("error.code")).isEqualTo("RATE_LIMITED");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.header("X-Request-Id")).isEqualTo(refused.path("error.request_id"));
        assertThat(responses).extracting(Response::statusCode).containsOnly(200, 429);
        var served = responses.stream().filter(r -> r.statusCode() == 200).count();
        assertThat(served).isBetween((long) PER_SEC, PER_SEC + (long) Math.ceil(PER_SEC * seconds));
        Eventually.await(
                "served again", Duration.ofSeconds(5), () -> api.get("/jobs").statusCode() == 200);
    }

    @Test
    void whoHasNoKeyUsesUpNobodysRequests() throws InterruptedException {
        Eventually.await("served", Duration.ofSeconds(5), () -> api.get("/jobs").statusCode() == 200);

        var strangers = Stream.generate(() -> new Api(api.port(), "wrong").get("/jobs"))
                .limit(ASKED)
                .map(Response::statusCode)
                .toList();

        assertThat(strangers).containsOnly(401);
        Eventually.await("served", Duration.ofSeconds(5), () -> api.get("/jobs").statusCode() == 200);
    }
}
