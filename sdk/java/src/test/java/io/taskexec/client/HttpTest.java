package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.client.StubServer.Reply;
import io.taskexec.client.model.Config;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class HttpTest {
    private static final Reply DONE = Reply.of(200, "{\"name\": \"x\", \"values\": {}}");
    private static final Reply BUSY = Reply.error(503, "UNAVAILABLE");

    private static StubServer serverOf(Reply... replies) {
        var rest = new ArrayDeque<>(Arrays.asList(replies));
        return new StubServer(call -> rest.size() > 1 ? rest.remove() : Objects.requireNonNull(rest.peek()));
    }

    @Test
    void aRequestIsRepeatedWhileTheServerIsBusy() {
        try (var server = serverOf(BUSY, Reply.error(429, "RATE_LIMITED"), DONE)) {
            assertThat(server.client().configs().get("x").name()).isEqualTo("x");
            assertThat(server.calls()).hasSize(3);
        }
    }

    @Test
    void theServerSaysWhenToComeBack() {
        var later = new Reply(429, "{}", Map.of("Retry-After", "1"));
        try (var server = serverOf(later, DONE)) {
            server.client().configs().get("x");

            assertThat(Duration.ofNanos(
                            server.calls().get(1).at() - server.calls().get(0).at()))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void aRequestThatMustNotBeDoneTwiceIsSentOnce() {
        try (var server = serverOf(BUSY)) {
            assertThatThrownBy(() -> server.client().executions().retry("exec_1"))
                    .hasMessage("UNAVAILABLE: Because.");
            assertThat(server.calls()).hasSize(1);
        }
    }

    @Test
    void aJobThatTakesAKeyIsSentOnce() {
        try (var server = serverOf(BUSY)) {
            assertThatThrownBy(() -> server.client()
                            .job("x")
                            .key("k")
                            .onConflict("replace")
                            .schedule())
                    .hasMessage("UNAVAILABLE: Because.");
            assertThat(server.calls()).hasSize(1);
        }
    }

    @Test
    void anAnswerThatStandsStillEndsInTime() throws IOException {
        try (var server = new HalfAnswer("application/json", "{\"name\":")) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ZERO).withTimeout(Duration.ofMillis(500));

            var failure = catchThrowableOfType(TaskexecException.class, () -> http.send(Request.get("overview")));

            assertThat(failure.code()).isEqualTo(TaskexecException.CONNECTION_FAILED);
            assertThat(failure.mayBeDone()).isTrue();
        }
    }

    @Test
    void whatIsGoneAfterATryWithoutAnAnswerWasDeleted() {
        try (var server = serverOf(Reply.error(504, "HTTP_504"), Reply.error(404, "CONFIG_NOT_FOUND"))) {
            server.client().configs().delete("x");

            assertThat(server.calls()).hasSize(2);
        }
    }

    @Test
    void whatWasNeverThereIsNotDeleted() {
        try (var server = serverOf(Reply.error(429, "RATE_LIMITED"), Reply.error(404, "CONFIG_NOT_FOUND"))) {
            assertThatThrownBy(() -> server.client().configs().delete("x")).hasMessageStartingWith("CONFIG_NOT_FOUND");
        }
    }

    @Test
    void anErrorSaysWhetherAnEarlierTryMayHaveDoneIt() {
        var body = Map.of("name", "x", "values", Map.of());
        var conflict = Reply.error(409, "CONFLICT");
        try (var server = serverOf(Reply.error(504, "HTTP_504"), conflict)) {
            for (var mayBeDone : List.of(true, false)) {
                var failure = catchThrowableOfType(
                        TaskexecException.class, () -> server.client().configs().create(body));

                assertThat(failure.code()).isEqualTo("CONFLICT");
                assertThat(failure.mayBeDone()).isEqualTo(mayBeDone);
            }
        }
    }

    @Test
    void aRedirectionIsNoAnswer() {
        try (var server = serverOf(new Reply(302, "", Map.of("Location", "https://login.example.org/")))) {
            assertThatThrownBy(() -> server.client().configs().get("x")).hasMessageStartingWith("HTTP_302");
        }
    }

    @Test
    void patienceEnds() {
        try (var server = serverOf(BUSY)) {
            var client = Taskexec.builder()
                    .servers(server.url())
                    .key("k")
                    .patience(Duration.ZERO)
                    .build();

            assertThatThrownBy(client::overview).hasMessageStartingWith("UNAVAILABLE");
            assertThat(server.calls()).hasSize(1);
        }
    }

    @Test
    void patienceIsLongerByTheTimeThatTheServerIsAskedToWait() {
        try (var server = serverOf(BUSY, DONE)) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ofMillis(1));

            http.send(Request.get("configs", "x").waiting(Duration.ofSeconds(10)));

            assertThat(server.calls()).hasSize(2);
        }
    }

    @Test
    void withoutPatienceThereIsOneTryHoweverLongTheServerIsAskedToWait() {
        try (var server = serverOf(BUSY, DONE)) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ZERO);

            assertThatThrownBy(() -> http.send(Request.get("configs", "x").waiting(Duration.ofSeconds(10))))
                    .hasMessageStartingWith("UNAVAILABLE");
            assertThat(server.calls()).hasSize(1);
        }
    }

    @Test
    void anotherServerAnswersForOneThatIsAway() throws IOException {
        var address = "http://127.0.0.1:" + freePort();
        try (var server = serverOf(DONE)) {
            var client =
                    Taskexec.builder().servers(address, server.url()).key("k").build();

            client.executions().retry("exec_1");
            client.configs().get("x");

            assertThat(server.calls()).hasSize(2);
        }
    }

    @Test
    void withoutAnyServerTheErrorSaysSo() throws IOException {
        var client = Taskexec.builder()
                .servers("http://127.0.0.1:" + freePort())
                .key("k")
                .patience(Duration.ZERO)
                .build();

        var failure = catchThrowableOfType(TaskexecException.class, client::overview);

        assertThat(failure.code()).isEqualTo(TaskexecException.CONNECTION_FAILED);
        assertThat(failure.status()).isZero();
        assertThat(failure.mayBeDone()).isFalse();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void anErrorHasItsCodeItsDetailsAndTheIdOfTheRequest() {
        try (var server = serverOf(Reply.of(422, """
                {"error": {"code": "INPUT_VALIDATION_FAILED", "message": "No.", "request_id": "req_1",
                 "details": [{"pointer": "/input", "message": "missing"}]}}"""))) {
            var failure = catchThrowableOfType(
                    TaskexecException.class, () -> server.client().job("x").schedule());

            assertThat(failure.is("INPUT_VALIDATION_FAILED")).isTrue();
            assertThat(failure.status()).isEqualTo(422);
            assertThat(failure.requestId()).isEqualTo("req_1");
            assertThat(failure.details()).containsExactly(new TaskexecException.Detail("/input", "missing"));
            assertThat(server.calls()).hasSize(1);
        }
    }

    @Test
    void anErrorOfAProxyIsAnErrorToo() {
        try (var server = serverOf(Reply.of(418, "<html>teapot</html>"))) {
            assertThatThrownBy(() -> server.client().overview()).hasMessage("HTTP_418: The answer was 418.");
        }
    }

    @Test
    void anInterruptedThreadGetsAnErrorAndStaysInterrupted() {
        try (var server = serverOf(DONE)) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> server.client().overview()).hasMessageStartingWith("INTERRUPTED");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void namesAreEncoded() {
        try (var server = serverOf(DONE)) {
            server.client().jobs().getByKey("x", "order/7 ü?..");
            assertThat(server.last().path()).isEqualTo("/endpoints/x/keys/order%2F7%20%C3%BC%3F..");
            server.client().jobs().list(Query.where("tag", "a&b=c")).page();
            assertThat(server.last().query()).isEqualTo("tag=a%26b%3Dc");
        }
    }

    @Test
    void aKeyThatIsAStepInAPathIsRefused() {
        try (var server = serverOf(DONE)) {
            for (var key : List.of(".", "..")) {
                assertThatThrownBy(() -> server.client().jobs().cancelByKey("mail", key))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("'" + key + "'");
            }
            assertThat(server.calls()).isEmpty();
        }
    }

    @Test
    void aListIsReadPageByPage() {
        try (var server = new StubServer(call -> Reply.of(
                200,
                call.query().contains("cursor=next")
                        ? "{\"items\": [{\"name\": \"c\"}], \"cursor\": null}"
                        : "{\"items\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"cursor\": \"next\"}"))) {
            var all = server.client().configs().list();

            assertThat(all.page().items()).hasSize(2);
            assertThat(server.calls()).hasSize(1);
            assertThat(all).extracting(Config::name).containsExactly("a", "b", "c");
            assertThat(all.stream().limit(1)).hasSize(1);
        }
    }

    @Test
    void eachPageOfAListHasTheHeadersOfItsRequest() {
        try (var server = new StubServer(call -> Reply.of(
                200, call.query().contains("cursor=") ? "{\"items\": []}" : "{\"items\": [], \"cursor\": \"next\"}"))) {
            var request = Request.get("configs").header("X-Tenant", "a");

            assertThat(server.client().http().list(request, Config.class).stream())
                    .isEmpty();

            assertThat(server.calls())
                    .extracting(call -> call.header("X-tenant"))
                    .containsExactly("a", "a");
        }
    }

    @Test
    void writesCanBeTriedBoundToATagAndTraced() {
        try (var server = serverOf(DONE)) {
            var client = server.client().dryRun().ifMatch("\"t1\"").traced("00-1-2-01");

            client.configs().put("x", Map.of("values", Map.of("a", 1)));
            assertThat(server.last().target()).isEqualTo("PUT /configs/x?dry_run=true");
            assertThat(server.last().header("If-match")).isEqualTo("\"t1\"");
            assertThat(server.last().header("Traceparent")).isEqualTo("00-1-2-01");

            client.configs().get("x");
            assertThat(server.last().target()).isEqualTo("GET /configs/x");
        }
    }

    @Test
    void aPatchKeepsItsNulls() {
        try (var server = serverOf(DONE)) {
            var patch = new java.util.HashMap<String, Object>();
            patch.put("run_at", null);
            server.client().jobs().patch("job_1", patch);

            assertThat(server.last().body().has("run_at")).isTrue();
        }
    }

    @Test
    void whatHasNoMethodIsSentByHand() {
        try (var server = serverOf(Reply.of(200, "{\"a\": 12.50}"))) {
            var answer =
                    server.client().http().send(Request.get("new", "route").with(Query.where("q", 1)), JsonNode.class);

            assertThat(server.last().target()).isEqualTo("GET /new/route?q=1");
            assertThat(answer.path("a").decimalValue()).isEqualByComparingTo("12.5");
        }
    }

    @Test
    void wrongSettingsAreRefused() {
        assertThatThrownBy(() -> Taskexec.connect("localhost:8080", "k"))
                .hasMessageContaining("no http or https address");
        assertThatThrownBy(() -> Taskexec.connect("http://localhost:8080", " "))
                .hasMessage("There must be an API key.");
    }
}
