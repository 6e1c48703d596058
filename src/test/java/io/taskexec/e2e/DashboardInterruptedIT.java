package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.path.json.JsonPath;
import io.taskexec.testing.Answer;
import io.taskexec.testing.Api;
import io.taskexec.testing.EventClient;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Live updates in Chromium while the server refuses them, here because another client has the only one of its key. */
@ServerTest(env = {"TE_EVENTS_ENABLED=true", "TE_EVENTS_MAX_STREAMS=3", "TE_PUBLIC_URL=http://public.invalid"})
class DashboardInterruptedIT {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String INTERRUPTED = "Live updates are interrupted; trying again.";

    @Inject
    private static Receiver receiver;

    @Inject
    private static Api api;

    private static DashboardWindow person;
    private static Browser.Window window;

    @BeforeAll
    static void open() throws Exception {
        person = DashboardWindow.open(api);
        window = person.browser();
    }

    @AfterAll
    static void close() {
        if (person != null) {
            person.close();
        }
    }

    private static JsonPath key(String name) {
        return api.create("/keys", Map.of("name", name, "scopes", List.of("read")));
    }

    /** Follows events with the key, which may have no other stream then. */
    private static EventClient follow(JsonPath key) throws InterruptedException {
        var client = EventClient.of(new Api(api.port(), key.getString("key")), "", Map.of());
        assertThat(client.status()).isEqualTo(200);
        return client;
    }

    /** Shows an execution that runs until the result is complete, whose page gets no stream. */
    private static CompletableFuture<@Nullable Void> interrupted(String endpoint) throws InterruptedException {
        var answered = new CompletableFuture<@Nullable Void>();
        receiver.answer(Answer.of(200, "{\"sent\": true}").after(answered));
        api.endpoint(endpoint, receiver.uri("/" + endpoint), Map.of("max_attempts", 1));
        person.see("/ui/executions/" + api.immediate(endpoint, endpoint));
        window.awaitText("RUNNING");
        window.awaitText(INTERRUPTED);
        return answered;
    }

    private static void awaitStatus(String text) throws InterruptedException {
        Eventually.await(
                text, BOUND, () -> person.isTrue("document.getElementById('live').textContent === '" + text + "'"));
    }

    @Test
    void aPageShowsWhatHappensWhileItsLiveUpdatesAreInterruptedAndConnectsAgain() throws Exception {
        var key = key("refused");
        try (var _ = follow(key)) {
            person.logIn(key.getString("key"));
            var answered = interrupted("refused");
            var _ = window.evaluate("window.isTheSamePage = true");
            answered.complete(null);
            window.awaitText("SUCCESS");
            assertThat(window.text()).contains(INTERRUPTED);
        }

        awaitStatus("Live");
        assertThat(window.text()).doesNotContain(INTERRUPTED);
        assertThat(person.isTrue("window.isTheSamePage === true")).isTrue();
    }

    @Test
    void aPageWhoseSessionHasEndedMeanwhileSaysSo() throws Exception {
        var key = key("revoked");
        try (var _ = follow(key)) {
            person.logIn(key.getString("key"));
            var answered = interrupted("ended");
            assertThat(api.delete("/keys/" + key.getString("key_id")).statusCode())
                    .isEqualTo(204);
            awaitStatus("Your session has ended. Reload the page to log in again.");
            answered.complete(null);
        }
    }
}
