package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@ServerTest(env = "TE_RATE_LIMIT_PER_SEC=" + RateLimitIT.PER_SEC, own = "It uses up the limit.")
class RateLimitIT {
    static final int PER_SEC = 5;
    private static final int ASKED = 50;

    @Inject
    private static Api api;

    @Test
    void whoAsksTooOftenIsToldToWaitAndThenServedAgain() throws InterruptedException {
        // They use up nobody's requests, and the program is warm after them, so that few are earned during the rest.
        var strangers = statuses(ask(new Api(api.port(), "wrong")));
        var begin = System.nanoTime();
        var responses = ask(api);
        var seconds = (System.nanoTime() - begin) / 1e9;

        // Those of the other test may have used up what is looked at in a minute.
        assertThat(strangers).isSubsetOf(401, 429);
        assertThat(statuses(responses)).containsOnly(200, 429);
        assertThat(statuses(responses).subList(0, PER_SEC)).containsOnly(200);
        var served = statuses(responses).stream().filter(status -> status == 200);
        assertThat(served).hasSizeLessThanOrEqualTo(PER_SEC + (int) Math.ceil(PER_SEC * seconds));
        var refused = responses.stream()
                .filter(r -> r.statusCode() == 429)
                .findFirst()
                .orElseThrow();
        assertThat(refused.<String>path("error.code")).isEqualTo("RATE_LIMITED");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.header("X-Request-Id")).isEqualTo(refused.path("error.request_id"));
        Eventually.await(
                "served again", Duration.ofSeconds(5), () -> api.get("/jobs").statusCode() == 200);
    }

    /** As they would come from behind one address. */
    @Test
    void whoSendsManyWrongKeysIsToldToWaitWhileRightOnesOfTheSameAddressPass() throws InterruptedException {
        var stranger = new Api(api.port(), "wrong");
        var refused = Eventually.await(
                "too many wrong keys",
                Duration.ofSeconds(20),
                () -> stranger.get("/jobs"),
                response -> response.statusCode() == 429);

        assertThat(refused.<String>path("error.code")).isEqualTo("RATE_LIMITED");
        assertThat(refused.<String>path("error.message")).startsWith("Too many wrong API keys");
        assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 60);
        Eventually.await(
                "the right key passes",
                Duration.ofSeconds(5),
                () -> api.get("/jobs").statusCode() == 200);
    }

    private static List<Response> ask(Api client) {
        return Stream.generate(() -> client.get("/jobs")).limit(ASKED).toList();
    }

    private static List<Integer> statuses(List<Response> responses) {
        return responses.stream().map(Response::statusCode).toList();
    }
}
