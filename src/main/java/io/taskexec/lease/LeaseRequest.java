package io.taskexec.lease;

import io.taskexec.model.ValueType;
import io.taskexec.model.lease.LeaseFields;
import io.taskexec.request.Fields;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request of a pull worker for leases.
 *
 * @param max most leases
 * @param patience how long to wait for the first one
 * @param lease the time for which they hold
 * @param leastUrgent the least urgent priority of what is leased
 * @param full whether the worker has no room, and waits for what it is to stop
 */
public record LeaseRequest(
        String worker,
        List<String> endpoints,
        int max,
        Duration patience,
        Duration lease,
        int leastUrgent,
        boolean full) {
    private static final Duration NO_PATIENCE = Duration.ZERO;

    /** Reads the body of a request; throws an {@link io.taskexec.request.ApiException}. */
    public static LeaseRequest read(byte @Nullable [] body) {
        var fields = Fields.of(body, LeaseFields.REQUEST);
        var worker = fields.text("worker");
        var endpoints = endpoints(fields);
        var max = fields.integer("max");
        var patience = fields.optionalDuration("wait", LeaseFields.LONGEST_WAIT);
        var lease = lease(fields);
        var leastUrgent = fields.integer("least_urgent");
        var full = fields.flag("full");
        fields.check();
        return new LeaseRequest(
                worker, endpoints, max, Objects.requireNonNullElse(patience, NO_PATIENCE), lease, leastUrgent, full);
    }

    /** Reads the time for which leases are asked for. */
    static Duration lease(Fields fields) {
        var lease = fields.optionalDuration("lease", LeaseFields.LONGEST_LEASE);
        if (lease != null && lease.compareTo(LeaseFields.SHORTEST_LEASE) < 0) {
            fields.violation("lease", "must be at least " + LeaseFields.SHORTEST_LEASE);
        }
        return lease == null ? LeaseFields.DEFAULT_LEASE : lease;
    }

    private static List<String> endpoints(Fields fields) {
        var given = fields.array("endpoints");
        var names = new LinkedHashSet<String>();
        for (var element : given) {
            if (!element.isTextual() || !ValueType.NAME.matches(element.textValue())) {
                fields.violation("endpoints", "must hold names of endpoints");
                return List.of();
            }
            names.add(element.textValue());
        }
        if (names.size() < given.size()) {
            fields.violation("endpoints", "must hold each endpoint once");
        }
        return List.copyOf(names);
    }

    /** The id that stands for the worker where executions are shown. */
    UUID workerId() {
        return UUID.nameUUIDFromBytes(("pull worker " + worker).getBytes(StandardCharsets.UTF_8));
    }
}
