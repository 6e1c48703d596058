package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.array;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.model.Json;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.Uuid7;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.delivery.Transition;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.store.dependency.DependencyReleases;
import io.taskexec.store.flow.FlowReleases;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.EventedStatement;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.wakeup.DueSignal;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Records the results of attempts, many in one statement, each fenced by its lease: a worker that lost the lease
 * changes nothing and is told so.
 */
@Singleton
public final class ResultRecorder {
    private static final int MAX_REASON = 1000;

    /** The first so many attempts keep their lines, and so do the last so many. */
    static final int ATTEMPTS_LOGGED = 100;

    private final Database database;
    private final DueSignal dueSignal;
    private final Batcher<Ending, Boolean> endings;
    private final Batcher<Release, Boolean> releases;
    private final Batcher<Waiting, Boolean> waits;
    private final Batcher<Parked, Boolean> parks;
    private final Batcher<Expired, Boolean> expiries;
    private final Batcher<Skipped, Boolean> skips;
    private final DeferralRecorder deferrals;
    private final FlowReleases flowReleases;
    private final DependencyReleases dependencyReleases;

    public ResultRecorder(
            Database database, DueSignal dueSignal, FlowReleases flowReleases, DependencyReleases dependencyReleases) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.flowReleases = flowReleases;
        this.dependencyReleases = dependencyReleases;
        this.deferrals = new DeferralRecorder(database, dueSignal);
        this.endings = new Batcher<>("results to be recorded", Fence.LIMITS, this::endAll);
        this.waits = new Batcher<>("executions that wait", Fence.LIMITS, this::waitAll);
        this.parks = new Batcher<>("executions that are parked", Fence.LIMITS, this::parkAll);
        this.expiries = new Batcher<>("executions that expire", Fence.LIMITS, this::expireAll);
        this.skips = new Batcher<>("executions that are skipped", Fence.LIMITS, this::skipAll);
        this.releases = new Batcher<>("retries to be recorded", Fence.LIMITS, this::releaseAll);
    }

    /** Records one transition; returns false when the lease was lost and nothing was changed. */
    public Uni<Boolean> record(Claim claim, UUID workerId, Transition transition) {
        return switch (transition) {
            case Transition.Succeed(var output, var hasCallback) ->
                endings.submit(new Ending(claim, "SUCCESS", output, null, hasCallback));
            case Transition.Fail(var error) -> endings.submit(new Ending(claim, "FAILED", null, error, true));
            case Transition.RetryAfter(var delay, var error) ->
                releases.submit(new Release(claim, workerId, "FAILED", delay, error, false));
            case Transition.Defer(var terms) -> deferrals.defer(claim, terms);
            case Transition.StayDeferred(var delay) -> deferrals.stay(claim, delay);
            case Transition.Wait(var delay) -> waits.submit(new Waiting(claim, delay));
            case Transition.Park() -> parks.submit(new Parked(claim));
            case Transition.Expire() -> expiries.submit(new Expired(claim));
            case Transition.Skip() -> skips.submit(new Skipped(claim));
            case Transition.None() -> Uni.createFrom().item(true);
            case Transition.Abandon() -> Uni.createFrom().item(false);
            case Transition.Interrupt(var preempted) ->
                releases.submit(new Release(claim, workerId, "INTERRUPTED", Duration.ZERO, null, preempted));
        };
    }

    /** The progress of the batches of results. */
    public TaskProgress progress() {
        return endings.progress()
                .and(releases.progress())
                .and(waits.progress())
                .and(parks.progress())
                .and(expiries.progress())
                .and(skips.progress())
                .and(deferrals.progress());
    }

    /** A result that may only be written while the lease is held. */
    interface Fenced {
        Claim claim();

        static <T extends Fenced> List<T> latestFirst(List<T> results) {
            var sorted = new ArrayList<>(results);
            sorted.sort(Comparator.comparing(Fenced::claim, Fence.LATEST_FIRST));
            return sorted;
        }

        static List<Claim> claims(List<? extends Fenced> results) {
            var claims = new ArrayList<Claim>(results.size());
            for (var result : results) {
                claims.add(result.claim());
            }
            return claims;
        }

        /** The parameters that say which leases these are. */
        static Tuple parameters(List<? extends Fenced> results) {
            return Fence.parameters(claims(results));
        }

        /** Whether each of these had its lease, by the answer of the statement. */
        static List<Boolean> held(List<? extends Fenced> results, RowSet<Row> rows) {
            return Fence.held(claims(results), rows);
        }
    }

    private record Ending(
            Claim claim,
            String status,
            @Nullable JsonNode output,
            @Nullable JsonNode error,
            boolean hasCallback) implements Fenced {}

    private record Waiting(Claim claim, Duration delay) implements Fenced {}

    private record Parked(Claim claim) implements Fenced {}

    private record Expired(Claim claim) implements Fenced {}

    private record Skipped(Claim claim) implements Fenced {}

    private record Release(
            Claim claim,
            UUID workerId,
            String status,
            Duration delay,
            @Nullable JsonNode error,
            boolean preempted) implements Fenced {
        /** Of the line in the log: the latest attempts share a round of places, so that the log has an end. */
        UUID logId() {
            var attempt = claim.attempt();
            return attempt <= ATTEMPTS_LOGGED ? Uuid7.next() : new UUID(0, attempt % ATTEMPTS_LOGGED);
        }
    }

    /**
     * Ends all. What is not held as a plain execution may have got children since it was claimed: those are ended with
     * the parts for that. Few leases are lost, so to ask for these twice costs little.
     */
    private Uni<List<Boolean>> endAll(List<Ending> batch) {
        if (isLinked(batch)) {
            return endAll(batch, true);
        }
        return endAll(batch, false).chain(held -> {
            if (!held.contains(false)) {
                return Uni.createFrom().item(held);
            }
            var others = IntStream.range(0, batch.size())
                    .filter(i -> !held.get(i))
                    .mapToObj(batch::get)
                    .toList();
            return endAll(others, true).map(late -> {
                var rest = late.iterator();
                return held.stream().map(done -> done || rest.next()).toList();
            });
        });
    }

    private Uni<List<Boolean>> endAll(List<Ending> batch, boolean linked) {
        var endings = Fenced.latestFirst(batch);
        var parameters = parameters(endings);
        // Parts that change nothing cost time too, so they are left out where no result needs them.
        return endings.stream().noneMatch(Ending::hasCallback)
                ? end(linked ? ResultStatement.END_LINKED : ResultStatement.END, parameters, linked)
                        .map(rows -> ended(batch, rows))
                : end(
                                linked ? ResultStatement.END_LINKED_WITH_CALLBACKS : ResultStatement.END_WITH_CALLBACKS,
                                withCallbacks(parameters, endings),
                                linked)
                        .invoke(dueSignal::raise)
                        .invoke(this::countCallbacks)
                        .map(rows -> ended(batch, rows));
    }

    /**
     * Ends an execution within a transaction, as a part of something more; returns what {@link #ended} wants to know
     * after the commit. There is no row when the lease was lost.
     */
    public Uni<RowSet<Row>> endWithin(
            SqlConnection transaction, Claim claim, @Nullable JsonNode output, @Nullable JsonNode error) {
        var ending = List.of(new Ending(claim, error == null ? "SUCCESS" : "FAILED", output, error, true));
        var parameters = withCallbacks(parameters(ending), ending);
        return Database.on(transaction, database.form(ResultStatement.END_LINKED_WITH_CALLBACKS), parameters);
    }

    /** Does what follows from {@link #endWithin}. */
    public void ended(RowSet<Row> rows, boolean failed) {
        flowReleases.after(rows);
        dependencyReleases.after(rows);
        dueSignal.raise();
        countCallbacks(rows);
        database.metrics().ended(failed ? 0 : 1, failed ? 1 : 0);
    }

    private static Tuple parameters(List<Ending> endings) {
        return Fenced.parameters(endings)
                .addValue(array(endings, String[]::new, Ending::status))
                .addValue(array(endings, String[]::new, e -> Json.text(e.output())))
                .addValue(array(endings, String[]::new, e -> Json.text(e.error())))
                .addValue(array(endings, String[]::new, ResultRecorder::log));
    }

    private static boolean isLinked(List<Ending> endings) {
        return isKeyed(endings)
                || endings.stream().anyMatch(ending -> ending.claim().hasChildren());
    }

    private Uni<RowSet<Row>> end(EventedStatement statement, Tuple parameters, boolean linked) {
        var done = run(statement, parameters, linked);
        return linked ? done.invoke(dependencyReleases::after) : done;
    }

    private static boolean isKeyed(List<? extends Fenced> results) {
        return results.stream().anyMatch(result -> result.claim().flowId() != null);
    }

    private Uni<RowSet<Row>> run(EventedStatement statement, Tuple parameters, boolean isKeyed) {
        return run(database.form(statement), parameters, isKeyed);
    }

    private Uni<RowSet<Row>> run(String sql, Tuple parameters, boolean isKeyed) {
        var done = database.run(sql, parameters);
        return isKeyed ? done.invoke(flowReleases::after) : done;
    }

    private List<Boolean> ended(List<Ending> batch, RowSet<Row> rows) {
        var held = Fenced.held(batch, rows);
        var failures = 0;
        for (var i = 0; i < batch.size(); i++) {
            if (held.get(i) && batch.get(i).error() != null) {
                failures++;
            }
        }
        database.metrics().ended(rows.size() - failures, failures);
        return held;
    }

    private void countCallbacks(RowSet<Row> rows) {
        if (rows.size() > 0) {
            database.metrics().created(rows.iterator().next().getLong("callbacks"));
        }
    }

    private static Tuple withCallbacks(Tuple parameters, List<Ending> endings) {
        return parameters
                .addValue(array(endings, UUID[]::new, _ -> Uuid7.next()))
                .addValue(array(
                        endings,
                        String[]::new,
                        e -> ResultCallback.input(e.claim(), e.status(), e.output(), e.error())))
                .addValue(array(endings, String[]::new, e -> ResultCallback.trace(e.claim())));
    }

    private Uni<List<Boolean>> releaseAll(List<Release> batch) {
        var releases = Fenced.latestFirst(batch);
        var parameters = Fenced.parameters(releases)
                .addValue(array(releases, String[]::new, Release::status))
                .addValue(array(releases, Long[]::new, r -> r.delay().toMillis()))
                .addValue(array(releases, String[]::new, r -> Json.text(r.error())))
                .addValue(array(releases, UUID[]::new, Release::workerId))
                .addValue(array(releases, String[]::new, ResultRecorder::log))
                .addValue(array(releases, UUID[]::new, Release::logId));
        var isKeyed = isKeyed(releases);
        return run(isKeyed ? ResultStatement.RETRY_KEYED : ResultStatement.RETRY, parameters, isKeyed)
                .invoke(() -> signal(batch))
                .map(rows -> released(batch, rows));
    }

    private List<Boolean> released(List<Release> batch, RowSet<Row> rows) {
        var held = Fenced.held(batch, rows);
        var preempted = 0;
        for (var i = 0; i < batch.size(); i++) {
            if (held.get(i) && batch.get(i).preempted()) {
                preempted++;
            }
        }
        database.metrics().preempted(preempted);
        return held;
    }

    private Uni<List<Boolean>> waitAll(List<Waiting> batch) {
        var waits = Fenced.latestFirst(batch);
        var parameters = Fenced.parameters(waits)
                .addValue(array(waits, Long[]::new, w -> w.delay().toMillis()));
        // Only those who sleep here have reckoned with the end of the lease.
        var isKeyed = isKeyed(waits);
        var statement = isKeyed ? ResultStatement.WAIT_KEYED : ResultStatement.WAIT;
        return run(database.keepingPlan(statement), parameters, isKeyed)
                .invoke(() -> dueSignal.heard(DueSignal.EXECUTIONS))
                .map(rows -> Fenced.held(batch, rows));
    }

    private Uni<List<Boolean>> parkAll(List<Parked> batch) {
        var parked = Fenced.claims(Fenced.latestFirst(batch));
        var parameters = Fence.parameters(parked)
                .addValue(array(
                        parked,
                        Long[]::new,
                        claim -> FlowKey.of(claim.endpoint(), "").id()))
                .addValue(array(parked, String[]::new, Claim::endpoint));
        return run(ResultStatement.PARK, parameters, true)
                .invoke(rows -> database.metrics().flow().parked(rows.size()))
                .map(rows -> Fenced.held(batch, rows));
    }

    private Uni<List<Boolean>> expireAll(List<Expired> batch) {
        var parameters = Fenced.parameters(Fenced.latestFirst(batch));
        return run(ExpiryStatement.CLAIMED, parameters, true)
                .invoke(dependencyReleases::after)
                .invoke(rows -> ExpiryStore.count(database, rows))
                .map(rows -> Fenced.held(batch, rows));
    }

    private Uni<List<Boolean>> skipAll(List<Skipped> batch) {
        var parameters = Fenced.parameters(Fenced.latestFirst(batch));
        return run(SkipStatement.CLAIMED, parameters, true)
                .invoke(dependencyReleases::after)
                .invoke(rows -> database.metrics().skipped(rows.size()))
                .map(rows -> Fenced.held(batch, rows));
    }

    /** A success needs no line: its attempt says it all. */
    private static @Nullable String log(Ending ending) {
        var error = ending.error();
        return error == null ? null : "failed permanently: " + reason(error);
    }

    private static String log(Release release) {
        var error = release.error();
        if (release.preempted()) {
            return "preempted by an execution of priority 0, due again at once";
        }
        return error == null
                ? "interrupted by the shutdown of its worker, due again at once"
                : "failed: %s; next attempt in %d ms"
                        .formatted(reason(error), release.delay().toMillis());
    }

    private static String reason(JsonNode error) {
        var text = error.path("type").asText() + ": " + error.path("message").asText();
        return text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON);
    }

    private void signal(List<Release> releases) {
        if (releases.stream().anyMatch(release -> release.delay().compareTo(DueSignal.HORIZON) < 0)) {
            dueSignal.raise();
        }
    }
}
