package io.taskexec.model.endpoint;

import static io.taskexec.model.FieldDefinition.optional;
import static io.taskexec.model.FieldDefinition.required;
import static io.taskexec.model.ValueType.NAME;
import static io.taskexec.model.ValueType.duration;
import static io.taskexec.model.ValueType.text;

import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.flow.FlowPolicy;
import io.taskexec.model.queue.QueueDetails;

/** Defines the fields of requests for queues. */
public final class QueueFields {
    public static final ObjectDefinition NEW_QUEUE = ObjectDefinition.of(
            "NewQueue",
            required("name", NAME),
            optional("weight", new Whole(1, 100))
                    .or("" + QueueDetails.Settings.DEFAULT.weight())
                    .says("Its share of the workers while other queues have work too."),
            optional("aging", duration())
                    .says("An execution gains one priority for each such time that it has waited; default never.")
                    .example("PT5M"),
            optional("max_concurrency", new Whole(1, FlowPolicy.MAX_CONCURRENCY))
                    .says("Executions that run at once, over all workers; default any number."),
            optional("rate", EndpointFields.RATE).says("How many executions begin; default any number."),
            optional("ttl", duration())
                    .says("The time in which an execution must begin, for jobs that state none; default any time.")
                    .example("PT1H"));

    /** The end of a pause and its reason. */
    public static final ObjectDefinition PAUSE = ObjectDefinition.of(
            "QueuePauseRequest",
            optional("until", Plain.TIME).says("When executions begin again; default not before it is resumed."),
            optional("reason", text(500)));

    private QueueFields() {}
}
