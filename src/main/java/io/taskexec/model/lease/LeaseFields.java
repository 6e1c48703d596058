package io.taskexec.model.lease;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.NAME;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.text;

import io.taskexec.model.FieldDefinition;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.Order;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.wait.CompletionFields;
import java.time.Duration;

/** Defines the fields of the requests of pull workers. */
public final class LeaseFields {
    /** The most leases of one request. */
    public static final int MOST = 500;

    public static final int MOST_ENDPOINTS = 100;
    public static final int LONGEST_WORKER = 128;

    /** The longest that a request for leases may wait. */
    public static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(5);
    public static final Duration LONGEST_LEASE = Duration.ofHours(1);
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(60);

    /** The priority that is less urgent than all others. */
    private static final int LEAST_URGENT = 7;

    private static final FieldDefinition TIME = optional("lease", duration())
            .or("\"" + DEFAULT_LEASE + "\"")
            .says("How long the leases hold from now on, from PT5S to PT1H.");

    /** A request for leases. */
    public static final ObjectDefinition REQUEST = ObjectDefinition.of(
            "LeaseRequest",
            required("worker", text(LONGEST_WORKER)).says("The name of the worker, which is the same in each request."),
            required("endpoints", new ListOf(NAME, 1, MOST_ENDPOINTS, Order.SET))
                    .says("Endpoints of type WORKER."),
            optional("max", new Whole(1, MOST)).or("1").says("The most leases."),
            optional("wait", duration())
                    .or("\"PT0S\"")
                    .says("How long to wait for the first lease when there is none, at most PT60S."),
            TIME,
            optional("least_urgent", new Whole(0, LEAST_URGENT))
                    .or(String.valueOf(LEAST_URGENT))
                    .says("The least urgent priority that is leased; 0 is the most urgent one."),
            optional("full", Plain.FLAG)
                    .or("false")
                    .says("Whether the worker has no room: it gets no leases, and is told what to stop."));

    private static final FieldDefinition LEASE = required("lease", text(200)).says("As it was handed out.");

    private static final ObjectDefinition EXTENDED = ObjectDefinition.of(
            "LeaseExtension",
            LEASE,
            optional("progress", CompletionFields.PROGRESS).says("Of the work so far."));

    private static final ObjectDefinition COMPLETED = ObjectDefinition.of(
            "LeaseCompletion", LEASE, optional("output", Plain.ANY).says("Any JSON up to 64 KiB."));

    /** The error of an attempt that failed. */
    private static final ObjectDefinition ERROR = ObjectDefinition.of(
            "LeaseError",
            required("message", text(4096)),
            optional("code", text(128)).says("A word for programs."),
            optional("permanent", Plain.FLAG).or("false").says("Whether another attempt would fail as well."),
            optional("retry_after", duration())
                    .says("The time before the next attempt; its endpoint's policy has the upper limit."));

    private static final ObjectDefinition FAILED = ObjectDefinition.of("LeaseFailure", LEASE, required("error", ERROR));

    private static final ObjectDefinition DEFERRED = ObjectDefinition.of(
            "LeaseDeferral",
            LEASE,
            optional("timeout", duration())
                    .says("How long to wait for the callback; default, and at most, that of the endpoint."));

    private static final ObjectDefinition RELEASED = ObjectDefinition.of("LeaseRelease", LEASE);

    public static final ObjectDefinition EXTEND =
            ObjectDefinition.of("ExtendLeasesRequest", TIME, required("leases", several(EXTENDED)));

    public static final ObjectDefinition COMPLETE =
            ObjectDefinition.of("CompleteLeasesRequest", required("leases", several(COMPLETED)));

    public static final ObjectDefinition FAIL =
            ObjectDefinition.of("FailLeasesRequest", required("leases", several(FAILED)));

    public static final ObjectDefinition DEFER =
            ObjectDefinition.of("DeferLeasesRequest", required("leases", several(DEFERRED)));

    public static final ObjectDefinition RELEASE =
            ObjectDefinition.of("ReleaseLeasesRequest", required("leases", several(RELEASED)));

    private LeaseFields() {}

    private static ListOf several(ObjectDefinition item) {
        return new ListOf(item, 1, MOST, Order.SEQUENCE);
    }

    /** The definition of the items of a request. */
    public static ObjectDefinition item(ObjectDefinition request) {
        return (ObjectDefinition) request.field("leases").as(ListOf.class).elements();
    }
}
