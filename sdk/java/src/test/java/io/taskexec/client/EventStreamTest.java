package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.StubServer.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventStreamTest {
    @Test
    void eventsFollowEachOtherOverLostConnections() {
        try (var server = new StubServer(call -> Reply.of(
                200,
                switch (call.header("Last-event-id")) {
                    case "" ->
                        "id: 5\n\n: comment\nid: 6\nevent: io.a\ndata: {\"n\":\ndata: 1}\n\n"
                                + "id: 7\nevent: io.b\ndata: {\"n\":";
                    case "6", "7" -> "id: 7\nevent: io.b\ndata: {\"n\": 2}\n\n";
                    default -> "";
                }))) {
            try (var events = server.client().events().follow(Query.where("endpoint", "x"))) {
                var first = events.next();
                assertThat(first.id()).isEqualTo("6");
                assertThat(first.type()).isEqualTo("io.a");
                assertThat(first.data().path("n").asInt()).isEqualTo(1);

                assertThat(events.next().data().path("n").asInt()).isEqualTo(2);
                assertThat(events.lastId()).isEqualTo("7");
            }
            // What was cut off in the middle is asked for again.
            assertThat(server.calls())
                    .extracting(call -> call.header("Last-event-id"))
                    .startsWith("", "6");
        }
    }

    @Test
    void aStreamThatIsClosedEnds() throws InterruptedException {
        try (var server = new StubServer(call -> Reply.of(200, ""))) {
            var events = server.client().events().follow(Query.all());
            var seen = new AtomicInteger(-1);
            var reader = new Thread(() -> seen.set(events.hasNext() ? 1 : 0));
            reader.start();
            Eventually.until(() -> !server.calls().isEmpty());

            events.close();
            reader.join(10_000);

            assertThat(seen).hasValue(0);
        }
    }

    @Test
    void aServerThatIsAwayForALongTimeIsAskedAgain() {
        var times = new AtomicInteger();
        try (var server = new StubServer(call -> times.incrementAndGet() < 3
                ? Reply.error(503, "UNAVAILABLE")
                : Reply.of(200, "id: 1\nevent: io.a\ndata: {}\n\n"))) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ZERO);
            try (var events = new EventStream(http, Query.all(), "")) {
                assertThat(events.next().id()).isEqualTo("1");
            }
        }
    }

    private static void assertAskedAgain(HalfAnswer server) {
        var http = Http.connect(List.of(server.url()), "k", Duration.ZERO).withTimeout(Duration.ofMillis(300));
        try (var events = new EventStream(http, Query.all(), "")) {
            var seen = new AtomicInteger(-1);
            new Thread(() -> seen.set(events.hasNext() ? 1 : 0)).start();

            Eventually.until(() -> server.connections() >= 2);
            assertThat(seen).hasValue(-1);
        }
    }

    @Test
    void aServerThatDoesNotBeginToAnswerIsAskedAgain() throws IOException {
        try (var server = HalfAnswer.silent()) {
            assertAskedAgain(server);
        }
    }

    @Test
    void aServerWhoseErrorStandsStillIsAskedAgain() throws IOException {
        try (var server = HalfAnswer.error()) {
            assertAskedAgain(server);
        }
    }

    @Test
    void aStreamIsClosedWhileItWaitsForTheBeginningOfAnAnswer() throws Exception {
        try (var server = HalfAnswer.silent()) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ZERO);
            var events = new EventStream(http, Query.all(), "");
            var seen = new AtomicInteger(-1);
            var reader = new Thread(() -> seen.set(events.hasNext() ? 1 : 0));
            reader.start();
            Eventually.until(() -> server.connections() == 1);

            events.close();
            reader.join(10_000);

            assertThat(seen).hasValue(0);
        }
    }

    @Test
    void anErrorThatPassesIsNoEnd() {
        var answers = new ArrayDeque<>(List.of(
                new Reply(429, "{}", Map.of("Retry-After", "1")),
                Reply.error(500, "INTERNAL"),
                Reply.of(200, "id: 1\nevent: io.a\ndata: {}\n\n")));
        try (var server = new StubServer(call -> answers.size() > 1 ? answers.remove() : answers.element())) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ZERO);
            try (var events = new EventStream(http, Query.all(), "")) {
                assertThat(events.next().id()).isEqualTo("1");
            }
            assertThat(Duration.ofNanos(
                            server.calls().get(1).at() - server.calls().get(0).at()))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        }
    }

    @Test
    void aConnectionOnWhichNothingComesIsReplaced() throws IOException {
        try (var server = new HalfAnswer("text/event-stream", "id: 5\n\n: comment\n")) {
            var http = Http.connect(List.of(server.url()), "k", Duration.ZERO);
            try (var events = new EventStream(http, Query.all(), "", Duration.ofMillis(300))) {
                var seen = new AtomicInteger(-1);
                var reader = new Thread(() -> seen.set(events.hasNext() ? 1 : 0));
                reader.start();

                Eventually.until(() -> server.connections() >= 2);
                assertThat(seen).hasValue(-1);
            }
        }
    }

    @Test
    void aRefusalIsAnError() {
        try (var server = new StubServer(call -> Reply.error(410, "EVENTS_GONE"))) {
            assertThatThrownBy(() -> server.client()
                            .events()
                            .followAfter(Query.all(), "1")
                            .hasNext())
                    .hasMessageStartingWith("EVENTS_GONE");
        }
    }
}
