package io.taskexec.lease;

import io.micrometer.core.instrument.Counter;
import io.taskexec.observe.metrics.Meters;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.function.Supplier;

/** Counts what pull workers ask for and get. */
@Singleton
final class LeaseMetrics {
    private static final String RESULTS = "taskexec.lease.results";

    private final Meters meters;
    private final Counter handedOut;
    private final Counter handedBack;
    private final Map<LeaseEnd, Counter> results;
    private final Counter lost;

    LeaseMetrics(Meters meters) {
        this.meters = meters;
        this.handedOut = meters.counter("taskexec.leases", "Leases that pull workers got");
        this.handedBack = meters.counter("taskexec.leases.returned", "Leases whose pull workers had gone before");
        this.results = Map.of(
                LeaseEnd.COMPLETED, result("completed"),
                LeaseEnd.FAILED, result("failed"),
                LeaseEnd.DEFERRED, result("deferred"),
                LeaseEnd.RELEASED, result("released"),
                LeaseEnd.TIMED_OUT, result("timed_out"));
        this.lost = result("lost");
    }

    private Counter result(String result) {
        return meters.counter(RESULTS, "Ends of leases of pull workers", "result", result);
    }

    void measure(Supplier<Number> callers, Supplier<Number> held) {
        meters.gauge("taskexec.lease.callers", "Requests for leases that wait", callers);
        meters.gauge("taskexec.leases.held", "Leases of pull workers that this process has handed out", held);
    }

    void handedOut(int leases) {
        handedOut.increment(leases);
    }

    void handedBack(int leases) {
        handedBack.increment(leases);
    }

    void ended(LeaseEnd end) {
        var counter = results.get(end);
        if (counter != null) {
            counter.increment();
        }
    }

    void lost() {
        lost.increment();
    }
}
