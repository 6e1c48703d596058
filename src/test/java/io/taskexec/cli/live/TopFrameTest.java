package io.taskexec.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.AnsiStyle;
import io.taskexec.cli.text.Terminal;
import io.taskexec.model.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopFrameTest {
    private static final Instant NOW = Instant.parse("2026-03-15T18:00:00Z");
    private static final String SERVER = "http://127.0.0.1:8080";

    private static JsonNode json(String text) throws Exception {
        return Json.parse(text.replace('\'', '"'));
    }

    private static JsonNode overview() throws Exception {
        return json("""
                {'totals': {'ready': 7, 'scheduled': 100000, 'parked': 12, 'running': 3, 'created_per_sec': 12.34,
                   'ended_per_sec': 11, 'slots': 40, 'used_slots': 3, 'flow_places': 2, 'flow_lines': 1,
                   'more': ['scheduled']},
                 'queues': {'total': 60, 'items': [
                   {'name': 'default', 'weight': 3, 'paused': false, 'ready': 7, 'scheduled': 100000, 'parked': 12,
                    'running': 3, 'oldest_due_ms': 90000, 'more': ['scheduled']},
                   {'name': 'mail', 'weight': 1, 'paused': true, 'paused_until': '2026-03-15T19:00:00Z', 'ready': 0,
                    'scheduled': 0, 'parked': 0, 'running': 0, 'oldest_due_ms': 0, 'more': []}]},
                 'workers': {'total': 1, 'items': [
                   {'worker_id': 'worker_1', 'host': 'pod-a', 'region': 'default', 'slots': 40, 'used_slots': 3,
                    'pressure': {'cpu': 0.1, 'memory': 0.75, 'database': 0.5},
                    'last_heartbeat_at': '2026-03-15T17:59:57Z'}]},
                 'endpoints': {'total': 1, 'items': [
                   {'name': 'mail', 'running': 3, 'attempts': 600, 'failures': 4, 'p50_ms': 21.6, 'p95_ms': 12000,
                    'breaker': 'OPEN', 'places': 2, 'parked': 12, 'lines': 1, 'more': []}]},
                 'breakers': {'total': 1, 'items': [
                   {'endpoint': 'mail', 'state': 'OPEN', 'since': '2026-03-15T17:59:00Z', 'reason': 'TIMEOUT'}]},
                 'signals': [{'source': 'billing', 'value': 0.8, 'remaining_ms': 29000}]}""");
    }

    private static ServerSnapshot snapshot(@Nullable Map<String, Double> rates, JsonNode... executions)
            throws Exception {
        var deferred = List.of(executions);
        return new ServerSnapshot(
                NOW,
                rates,
                overview(),
                List.of(),
                deferred,
                List.of(json("{'execution_id':'exec_1','endpoint':'mail','completed_at':'2026-03-15T17:58:00Z',"
                        + "'error':{'type':'TIMEOUT','message':'no answer\\nat all'}}")),
                null);
    }

    private static String frame(ServerSnapshot snapshot, int width, int height) {
        return String.join("\n", TopFrame.of(SERVER, snapshot, width, height, AnsiStyle.PLAIN));
    }

    @Test
    void aFrameHasWhatThereIsAndNothingElse() throws Exception {
        assertThat(frame(snapshot(Map.of("succeeded", 12.34)), 100, Terminal.UNBOUNDED))
                .isEqualTo("""
                taskexec at http://127.0.0.1:8080, 2026-03-15T18:00:00Z
                Executions: 7 ready, 100000+ scheduled, 12 parked, 3 running. Slots used: 3 of 40.
                In a second: 12.3 created, 11.0 ended; events: 12.3 succeeded
                Flow keys: places taken 2, keys with a line 1
                Signals of pressure: billing 0.8 for 29s

                QUEUE    READY  SCHEDULED  PARKED  RUNNING  OLDEST  WEIGHT  PAUSE
                default      7    100000+      12        3   1m30s       3
                mail         0          0       0        0     0ms       1  paused, ends in 1h
                and 58 more queues

                WORKER    USED  SLOTS  HEARD   PRESSURE                    HOST
                worker_1     3     40  3s ago  memory 0.75, database 0.50  pod-a

                ENDPOINT  RUNNING  A MINUTE  FAILED   P50  P95  PARKED  BREAKER
                mail            3       600       4  21ms  12s      12  OPEN

                BREAKER  STATE  SINCE   TRIED  REASON
                mail     OPEN   1m ago         TIMEOUT

                LAST FAILURES  ENDPOINT  WHEN    ERROR    MESSAGE
                exec_1         mail      2m ago  TIMEOUT  no answer at all""");
    }

    @Test
    void deferredExecutionsAreShownWithTheirProgress() throws Exception {
        var silent = json("{'execution_id': 'exec_2', 'endpoint': 'film', 'deferral': {'mode': 'poll',"
                + " 'deadline': '2026-03-15T19:00:00Z'}}");
        var heard = json("{'execution_id': 'exec_3', 'endpoint': 'film', 'deferral': {'mode': 'callback',"
                + " 'deadline': '2026-03-15T20:00:00Z'}, 'progress': {'percent': 66.67, 'message': 'frame 2',"
                + " 'estimated_completion_at': '2026-03-15T18:01:00Z'}}");

        assertThat(frame(snapshot(null, silent), 100, Terminal.UNBOUNDED)).contains("""

                DEFERRED  ENDPOINT  BY    DEADLINE
                exec_2    film      poll  in 1h

                """);
        assertThat(frame(snapshot(null, silent, heard), 100, Terminal.UNBOUNDED))
                .contains("""

                DEFERRED  ENDPOINT  BY        DEADLINE  DONE  ALL DONE  PROGRESS
                exec_2    film      poll      in 1h
                exec_3    film      callback  in 2h      66%  in 1m     frame 2

                """);
    }

    @Test
    void withoutEventsTheRatesOfTheOverviewRemain() throws Exception {
        assertThat(frame(snapshot(null), 100, Terminal.UNBOUNDED)).contains("In a second: 12.3 created, 11.0 ended\n");
    }

    @ParameterizedTest
    @CsvSource({"30,6", "40,24", "80,24", "80,30", "200,60", "10,1"})
    void aFrameFitsTheTerminal(int width, int height) throws Exception {
        assertThat(TopFrame.of(SERVER, snapshot(Map.of()), width, height, AnsiStyle.PLAIN))
                .hasSizeBetween(1, height)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(width));
    }

    @Test
    void rowsAreCutInTurnUntilEverySectionFits() throws Exception {
        var endpoints = IntStream.range(0, 50)
                .mapToObj(i -> "{'name': 'e%02d', 'running': 0, 'attempts': 1, 'failures': 0, 'breaker': 'CLOSED'}"
                        .formatted(i))
                .collect(Collectors.joining(","));
        var queues = IntStream.range(0, 50)
                .mapToObj(i -> "{'name': 'q%02d', 'ready': 1, 'scheduled': 0, 'parked': 0, 'running': 0}".formatted(i))
                .collect(Collectors.joining(","));
        var overview = json("""
                {'totals': {}, 'queues': {'total': 50, 'items': [%s]}, 'workers': {'total': 0, 'items': []},
                 'endpoints': {'total': 70, 'items': [%s]}, 'breakers': {'total': 0, 'items': []}, 'signals': []}
                """.formatted(queues, endpoints));

        var frame = TopFrame.of(
                SERVER,
                new ServerSnapshot(NOW, null, overview, List.of(), List.of(), List.of(), null),
                80,
                24,
                AnsiStyle.PLAIN);

        assertThat(frame).hasSizeBetween(23, 24);
        assertThat(frame).filteredOn(line -> line.startsWith("q")).hasSizeBetween(7, 8);
        assertThat(frame).filteredOn(line -> line.startsWith("e")).hasSizeBetween(7, 8);
        assertThat(frame).anyMatch(line -> line.matches("and 4[23] more queues"));
        assertThat(frame.getLast()).matches("and 6[23] more endpoints");
    }
}
