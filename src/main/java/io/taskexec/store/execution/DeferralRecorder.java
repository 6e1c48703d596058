package io.taskexec.store.execution;

import static io.taskexec.store.sql.Columns.millisOrNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.TaskProgress;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.wait.DeferralTerms;
import io.taskexec.store.execution.ResultRecorder.Fenced;
import io.taskexec.store.sql.Batcher;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.Fence;
import io.taskexec.store.wakeup.DueSignal;
import java.time.Duration;
import java.util.List;

/** Records that executions are left to their receivers, many in one statement, each fenced by its lease. */
final class DeferralRecorder {
    private final Database database;
    private final DueSignal dueSignal;
    private final Batcher<Deferred, Boolean> deferred;
    private final Batcher<Staying, Boolean> staying;
    private final String defer;

    DeferralRecorder(Database database, DueSignal dueSignal) {
        this.database = database;
        this.dueSignal = dueSignal;
        this.defer = database.form(DeferralStatement.DEFER);
        this.deferred = new Batcher<>("executions that are deferred", Fence.LIMITS, this::deferAll);
        this.staying = new Batcher<>("executions that stay deferred", Fence.LIMITS, this::stayAll);
    }

    private record Deferred(Claim claim, DeferralTerms terms) implements Fenced {}

    private record Staying(Claim claim, Duration delay) implements Fenced {}

    Uni<Boolean> defer(Claim claim, DeferralTerms terms) {
        return deferred.submit(new Deferred(claim, terms));
    }

    Uni<Boolean> stay(Claim claim, Duration delay) {
        return staying.submit(new Staying(claim, delay));
    }

    TaskProgress progress() {
        return deferred.progress().and(staying.progress());
    }

    private Uni<List<Boolean>> deferAll(List<Deferred> batch) {
        var latestFirst = Fenced.latestFirst(batch);
        var terms = latestFirst.stream().map(Deferred::terms).toList();
        var parameters = Fenced.parameters(latestFirst)
                .addValue(terms.stream().map(t -> t.untilFirstLook().toMillis()).toArray(Long[]::new))
                .addValue(terms.stream().map(t -> t.mode().word()).toArray(String[]::new))
                .addValue(terms.stream().map(t -> millisOrNull(t.every())).toArray(Long[]::new))
                .addValue(terms.stream()
                        .map(t -> t.pollUrl() == null ? null : t.pollUrl().toString())
                        .toArray(String[]::new))
                .addValue(terms.stream()
                        .map(t -> millisOrNull(t.heartbeatTimeout()))
                        .toArray(Long[]::new))
                .addValue(terms.stream().map(t -> t.timeout().toMillis()).toArray(Long[]::new))
                .addValue(terms.stream().map(DeferralRecorder::log).toArray(String[]::new));
        return database.run(defer, parameters)
                .invoke(rows -> database.metrics().waits().deferred(rows.size()))
                .invoke(() ->
                        signal(terms.stream().map(DeferralTerms::untilFirstLook).toList()))
                .map(rows -> Fenced.held(batch, rows));
    }

    private Uni<List<Boolean>> stayAll(List<Staying> batch) {
        var latestFirst = Fenced.latestFirst(batch);
        var delays = latestFirst.stream().map(Staying::delay).toList();
        var parameters = Fenced.parameters(latestFirst)
                .addValue(delays.stream().map(Duration::toMillis).toArray(Long[]::new));
        return database.run(database.keepingPlan(DeferralStatement.STAY), parameters)
                .invoke(() -> signal(delays))
                .map(rows -> Fenced.held(batch, rows));
    }

    /** Those who sleep may have reckoned with a later time. */
    private void signal(List<Duration> delays) {
        if (delays.stream().anyMatch(delay -> delay.compareTo(DueSignal.HORIZON) < 0)) {
            dueSignal.raise();
        } else {
            dueSignal.heard(DueSignal.EXECUTIONS);
        }
    }

    private static String log(DeferralTerms terms) {
        return switch (terms.mode()) {
            case CALLBACK -> "deferred: waits for a callback for " + terms.timeout();
            case POLL -> "deferred: polled every %s for %s".formatted(terms.every(), terms.timeout());
            case APPROVAL -> "deferred: waits for an approval for " + terms.timeout();
        };
    }
}
