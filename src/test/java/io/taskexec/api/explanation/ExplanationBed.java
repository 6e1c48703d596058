package io.taskexec.api.explanation;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.activity.WorkerActivity;
import io.taskexec.model.delivery.Claim;
import io.taskexec.store.auth.AuditStore;
import io.taskexec.store.endpoint.BreakerStore;
import io.taskexec.store.execution.ExecutionStore;
import io.taskexec.store.execution.LeaseStore;
import io.taskexec.store.explanation.LineStore;
import io.taskexec.store.explanation.LiveStateStore;
import io.taskexec.store.pressure.PressureStore;
import io.taskexec.store.region.HomeRegion;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.store.worker.WorkerStore;
import io.taskexec.testing.Rows;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Explains executions of a database in which one worker lives, and claims them as it would. */
final class ExplanationBed {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Set<String> FACTS = Stream.of(ReasonShape.class.getRecordComponents())
            .map(component -> component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());

    /** Those that keep a due execution from a worker. */
    static final EnumSet<ReasonCode> OBSTACLES = EnumSet.range(ReasonCode.KEY_AT_CAP, ReasonCode.BREAKER_OPEN);

    private final TestDb db;
    private final Rows rows;
    private final ExplanationReader reader;
    private final LeaseStore leases;
    private final Set<String> seen = new TreeSet<>();
    private UUID worker = UUID.randomUUID();

    ExplanationBed(TestDb db, Rows rows) {
        this.db = db;
        this.rows = rows;
        var database = db.database();
        this.leases = Stores.leases(database);
        this.reader = new ExplanationReader(
                new ExecutionStore(database),
                new LiveStateStore(database),
                new LineStore(database),
                new BreakerStore(database),
                new PressureStore(database),
                new AuditStore(database));
    }

    /** Removes everything but endpoints; a worker lives. */
    void clear() {
        rows.clearJobs();
        Stream.of(
                        "breakers",
                        "disabled_endpoints",
                        "flow_policies",
                        "queue_limits",
                        "region_status",
                        "deferrals",
                        "replays",
                        "pressure_signals")
                .forEach(table -> db.execute("DELETE FROM " + table));
        db.execute("UPDATE queues SET paused_at = NULL, paused_until = NULL, resumed_at = NULL, max_concurrency = NULL,"
                + " rate_limit = NULL, rate_per_ms = NULL, rate_burst = NULL");
        worker = UUID.randomUUID();
        beat(10, 0, Lanes.PRIORITIES - 1);
    }

    UUID worker() {
        return worker;
    }

    LeaseStore leases() {
        return leases;
    }

    void beat(int slots, int used, int leastUrgent) {
        var activity = new WorkerActivity(slots, used, 0, leastUrgent, List.of());
        await(new WorkerStore(db.database(), new DueSignal())
                .beat(worker, "pod-a", HomeRegion.DEFAULT, activity, Map.of()));
    }

    ExplanationView explain(UUID id) {
        var view = Objects.requireNonNull(await(reader.explain(id)));
        assertThat(view.reason())
                .isEqualTo(view.reasons().getFirst().path("code").asText());
        for (var reason : view.reasons()) {
            seen.add(reason.path("code").asText());
            assertThat(reason.path("message").asText()).endsWith(".").doesNotContain("..", "null");
            reason.fieldNames().forEachRemaining(name -> assertThat(FACTS).contains(name));
        }
        return view;
    }

    /** Whether there is nothing to explain. */
    boolean isUnknown(UUID id) {
        return await(reader.explain(id)) == null;
    }

    /** The first reason, which must be this one. */
    JsonNode first(UUID id, String code) {
        var view = explain(id);
        assertThat(view.reason()).as(view.toString()).isEqualTo(code);
        return view.reasons().getFirst();
    }

    List<String> codes(UUID id) {
        return explain(id).reasons().stream()
                .map(reason -> reason.path("code").asText())
                .toList();
    }

    /** Claims of the default queue all that a worker may, without flow keys. */
    List<Claim> claims() {
        return await(leases.claim(Lanes.of(List.of(0)), 100, LEASE, worker));
    }

    List<UUID> claim() {
        return claims().stream().map(Claim::executionId).toList();
    }

    /** Claims what has flow keys. */
    List<UUID> claimKeyed() {
        return await(leases.claimKeyed(Lanes.of(List.of(Lanes.keyed(0))), 100, LEASE, worker)).claims().stream()
                .map(Claim::executionId)
                .toList();
    }

    /** Checks that all of these have been explained. */
    void haveSeen(Set<ReasonCode> reasons) {
        assertThat(seen).containsAll(reasons.stream().map(ReasonCode::word).toList());
    }

    static Instant time(JsonNode reason, String name) {
        return Instant.parse(reason.path(name).asText());
    }

    static Instant in(Duration time) {
        return Instant.now().plus(time);
    }

    static void isAbout(Instant time, Instant expected) {
        assertThat(Duration.between(time, expected).abs()).isLessThan(Duration.ofMinutes(1));
    }
}
