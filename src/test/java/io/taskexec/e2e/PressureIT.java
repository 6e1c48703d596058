package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals of pressure from outside, and what they hold back. */
@ServerTest(own = "Its signals hold back all work, and it looks at the metrics.")
class PressureIT {
    private static final Duration BOUND = Duration.ofSeconds(30);

    @Inject
    private static Receiver receiver;

    @Inject
    private static Program program;

    @Inject
    private static Api api;

    @BeforeAll
    static void setUp() {
        api.endpoint("target", receiver.uri("/"), Map.of());
    }

    @BeforeEach
    void clear() {
        var _ = api.delete("/pressure/billing");
    }

    private static int set(String source, Object value, Object ttl) {
        return api.put("/pressure/" + source, Map.of("value", value, "ttl", ttl))
                .statusCode();
    }

    private static String job(String key, int priority) {
        return api.create(
                        "/jobs",
                        Map.of(
                                "endpoint",
                                "target",
                                "trigger",
                                "IMMEDIATE",
                                "idempotency_key",
                                key,
                                "priority",
                                priority,
                                "input",
                                Map.of("n", key)))
                .getString("execution.execution_id");
    }

    private static String status(String execution) {
        return api.read("/executions/" + execution).getString("status");
    }

    private static String metrics() {
        try {
            return program.manage("/q/metrics", "text/plain; version=0.0.4").body();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void awaitHeld(int priorities) throws InterruptedException {
        Eventually.await(
                priorities + " priorities are held back",
                BOUND,
                () -> metrics().contains("taskexec_pressure_held_priorities " + priorities + ".0"));
    }

    @Test
    void aSignalHoldsWorkBackUntilItIsCleared() throws InterruptedException {
        assertThat(set("billing", 0.8, "PT1H")).isEqualTo(200);
        awaitHeld(5);
        assertThat(metrics()).contains("taskexec_pressure{source=\"billing\",} 0.8");

        var waits = job("pressed-4", 4);
        var starts = job("pressed-2", 2);
        assertThat(api.ended(starts).getString("status")).isEqualTo("SUCCESS");
        assertThat(status(waits)).isEqualTo("QUEUED");

        assertThat(set("billing", 1, "PT1H")).isEqualTo(200);
        awaitHeld(7);
        assertThat(api.ended(job("pressed-0", 0)).getString("status")).isEqualTo("SUCCESS");
        assertThat(status(waits)).isEqualTo("QUEUED");

        assertThat(api.delete("/pressure/billing").statusCode()).isEqualTo(204);
        var ended = api.ended(waits);
        assertThat(ended.getString("status")).isEqualTo("SUCCESS");
        assertThat(ended.getInt("attempt_count"))
                .as("nothing was claimed and handed back")
                .isEqualTo(1);
        awaitHeld(0);
    }

    @Test
    void aSignalThatIsNotToldAgainComesToItsEnd() throws InterruptedException {
        // Long enough for a busy worker to look meanwhile.
        assertThat(set("billing", 1, "PT10S")).isEqualTo(200);
        awaitHeld(7);
        awaitHeld(0);
        assertThat(api.get("/pressure").asString()).doesNotContain("billing");
    }

    @Test
    void allSourcesAreListedWithTheWorkerThatTellsThem() throws InterruptedException {
        assertThat(set("billing", 0.25, "PT1M")).isEqualTo(200);
        var listed = Eventually.await(
                "the worker tells its own",
                BOUND,
                () -> api.read("/pressure"),
                found -> found.getList("items.source").contains("cpu"));

        assertThat(listed.<String>getList("items.source"))
                .containsExactly("billing", "cpu", "database", "event-loop", "memory");
        assertThat(listed.getDouble("items[0].value")).isEqualTo(0.25);
        assertThat(listed.getInt("items[0].remaining_ms")).isBetween(1, 60_000);
        assertThat(listed.<String>getList("items.worker_id"))
                .filteredOn(id -> id != null)
                .hasSize(4);
        assertThat(listed.getString("items[1].worker_id")).startsWith("worker_");
    }

    @Test
    void aSignalIsAuditedWhenItBeginsAndWhenItIsClearedAndNotWhenItIsToldAgain() {
        var before = api.read("/audit?kind=pressure").getList("items").size();
        assertThat(set("billing", 0.1, "PT1M")).isEqualTo(200);
        assertThat(set("billing", 0.2, "PT1M")).isEqualTo(200);
        assertThat(set("billing", 0.3, "PT1M")).isEqualTo(200);
        assertThat(api.delete("/pressure/billing").statusCode()).isEqualTo(204);

        var audit = api.read("/audit?kind=pressure");
        assertThat(audit.getList("items")).hasSize(before + 2);
        assertThat(audit.<String>getList("items.action")).startsWith("clear", "set");
        assertThat(audit.<String>getList("items.resource")).startsWith("billing", "billing");
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            billing,        1.01,  PT30S,  /value
            billing,        -0.1,  PT30S,  /value
            billing,        high,  PT30S,  /value
            billing,        0.5,   PT0.5S, /ttl
            billing,        0.5,   PT1H1S, /ttl
            billing,        0.5,   30,     /ttl
            billing,        0.5,   -PT5S,  /ttl
            cpu,            0.5,   PT30S,
            Big_Name,       0.5,   PT30S,
            """)
    void aWrongSignalIsRefused(String source, String value, String ttl, String pointer) {
        Object number = value.matches("-?[0-9.]+") ? Double.valueOf(value) : value;
        var response = api.put("/pressure/" + source, Map.of("value", number, "ttl", ttl));

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(400);
        if (pointer != null) {
            assertThat(response.asString()).contains("\"" + pointer + "\"");
        }
        assertThat(api.get("/pressure").asString()).doesNotContain("billing");
    }

    @Test
    void bothFieldsAreRequiredAndAMissingSignalIsNotFound() {
        var response = api.put("/pressure/billing", "{}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.asString()).contains("/value", "/ttl", "is required");
        assertThat(api.delete("/pressure/billing").statusCode()).isEqualTo(404);
    }
}
