package io.taskexec.scheduler;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.taskexec.model.job.TickOutcome;
import io.taskexec.observe.metrics.Meters;
import io.taskexec.store.job.TickStore.Advance;
import io.taskexec.store.job.TickStore.Advanced;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Counts the decisions of this scheduler about ticks, and times the delay of those that fired at once. */
@Singleton
final class TickMetrics {
    private final Map<TickOutcome, Counter> ticks = new EnumMap<>(TickOutcome.class);
    private final Timer lateness;

    TickMetrics(Meters meters) {
        for (var outcome : TickOutcome.values()) {
            ticks.put(
                    outcome,
                    meters.counter(
                            "taskexec.ticks",
                            "Ticks of schedules that were decided about",
                            "outcome",
                            outcome.name().toLowerCase(Locale.ROOT)));
        }
        lateness = meters.timer(
                "taskexec.tick.lateness", "From the time of a tick to when it fired, by the database's clock");
    }

    /** Of what another scheduler has decided before nothing is counted here. */
    void decided(List<Advance> advances, Advanced advanced) {
        for (var advance : advances) {
            if (advanced.moved().contains(advance.jobId())) {
                for (var tick : advance.ticks()) {
                    count(tick.outcome(), 1);
                    if (tick.outcome() == TickOutcome.FIRED) {
                        lateness.record(Duration.between(tick.at(), advanced.now()));
                    }
                }
            }
        }
    }

    /** Ticks that waited for executions before them have fired. Their lateness is what their schedule asks for. */
    void released(int fired) {
        count(TickOutcome.FIRED, fired);
    }

    private void count(TickOutcome outcome, int ended) {
        var counter = ticks.get(outcome);
        if (counter != null) {
            counter.increment(ended);
        }
    }
}
