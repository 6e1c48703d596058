package io.taskexec.model.wait;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.text;
import static io.taskexec.model.ValueType.words;

import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.Decimal;
import io.taskexec.model.ValueType.ListOf;
import io.taskexec.model.ValueType.Order;
import io.taskexec.model.ValueType.Plain;

/** Defines the fields of requests about deferred executions. */
public final class CompletionFields {
    private static final String CONDITION =
            "A condition on the answer, such as {\"pointer\": \"/json/state\", \"equals\": \"done\"}.";

    private static final ObjectDefinition POLL = ObjectDefinition.of(
            "PollConditions",
            optional("succeeded", Plain.ANY).says(CONDITION + " Without it any expected answer but 202 is a success."),
            optional("failed", Plain.ANY).says(CONDITION));

    /** The completion of an endpoint. */
    public static final ObjectDefinition COMPLETION = ObjectDefinition.of(
            "Completion",
            required(
                            "modes",
                            new ListOf(
                                    words("CompletionMode", DeferralMode.CALLBACK, DeferralMode.POLL), 1, 2, Order.SET))
                    .says("Ways in which a receiver may say later how a delivery ends."),
            optional("timeout", duration())
                    .or("\"" + Completion.DEFAULT_TIMEOUT + "\"")
                    .says("The longest that an attempt is deferred for, from PT1S to P366D; a receiver may ask for"
                            + " less, and by callbacks for more."),
            optional("always", Plain.FLAG)
                    .or("false")
                    .says("Whether each delivery waits for a callback, whatever the receiver answers."),
            optional("heartbeat_timeout", duration())
                    .says("From PT5S: the attempt fails when no callback comes for so long."),
            optional("poll", POLL),
            optional("poll_origins", new ListOf(text(512), 0, Completion.MAX_ORIGINS, Order.SET))
                    .or("[]")
                    .says("Other origins that a Location may have; they are polled without headers and credentials."));

    private static final double MOST_UNITS = 1e15;

    private static final ObjectDefinition ERROR = ObjectDefinition.of(
            "CallbackError",
            required("message", text(4096)),
            optional("permanent", Plain.FLAG).or("false").says("Whether another attempt would fail as well."));

    /** The progress of work that goes on. */
    public static final ObjectDefinition PROGRESS = ObjectDefinition.of(
            "CallbackProgress",
            required("current", new Decimal(0, MOST_UNITS)).says("Units that are done."),
            optional("total", new Decimal(0, MOST_UNITS)).says("Units in all."),
            optional("message", text(1024)));

    /** A callback. */
    public static final ObjectDefinition CALLBACK = ObjectDefinition.of(
            "CallbackRequest",
            required("status", words("CallbackStatus", CallbackStatus.values())),
            optional("output", Plain.ANY).says("Any JSON up to 64 KiB; with succeeded alone."),
            optional("error", ERROR).says("With failed, which needs it."),
            optional("progress", PROGRESS).says("With progress, which needs it."),
            optional("extend", duration())
                    .says("The time from now on that the receiver needs, at most the timeout of the endpoint; with"
                            + " progress and heartbeat."));

    private CompletionFields() {}
}
