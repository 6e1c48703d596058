package io.taskexec.api.explanation;

import io.taskexec.model.endpoint.Breaker;
import io.taskexec.model.flow.PressureReading;
import io.taskexec.model.job.Attempt;
import io.taskexec.store.explanation.LineStore.Holders;
import io.taskexec.store.explanation.LineStore.Place;
import io.taskexec.store.explanation.LiveStateStore.Parent;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Facts about an execution that has not ended which are read only when its state asks for them. */
final class Facts {
    /** Of its endpoint, if that has failed. */
    @Nullable
    Breaker breaker;

    /** The key that paused its queue. */
    @Nullable
    String pausedBy;

    /** The highest one. */
    @Nullable
    PressureReading pressure;

    @Nullable
    Attempt lastAttempt;

    List<Parent> parents = List.of();

    /** Its place in its lane. */
    @Nullable
    Place lane;

    @Nullable
    Double startsPerSecond;

    /** Its place in the line of its flow key. */
    @Nullable
    Place line;

    /** Executions that hold the places of its flow key. */
    List<UUID> keyHolders = List.of();

    /** Executions that hold the places of its queue. */
    Holders queueHolders = new Holders(0, List.of());
}
