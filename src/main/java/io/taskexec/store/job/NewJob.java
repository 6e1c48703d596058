package io.taskexec.store.job;

import static io.taskexec.store.sql.Columns.millisOrNull;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.Json;
import io.taskexec.model.TraceContext;
import io.taskexec.model.dependency.Dependencies;
import io.taskexec.model.flow.FlowKey;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.JobOptions;
import io.taskexec.store.sql.Lanes;
import io.taskexec.store.wakeup.DueSignal.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A one-shot job that is to be created.
 *
 * @param id of the job and of its execution, UUIDv7
 * @param endpointVersion the version that the input was checked against
 * @param payloadSpecVersion the version of the payload spec that the input was checked against, 0 for none
 * @param trigger the wire name of the trigger
 * @param runAt when to run; null for {@code delay} from now
 * @param delay from the moment of creation by the database's clock
 * @param queueId of the queue to wait in
 * @param priority 0, the most urgent, to 7
 * @param tags without commas
 * @param fingerprint the first half of a SHA-256 of the request
 * @param trace what it is created in, if anything
 * @param flow its key, where the endpoint has flow control
 * @param namesQueue whether it names its queue itself, so that it is refused when that has been deleted
 * @param expiry the times after which no attempt begins
 * @param dependencies the jobs that it waits for; null for none
 * @param options that few jobs have
 * @param pulled whether its endpoint is of type WORKER
 */
public record NewJob(
        UUID id,
        String endpoint,
        int endpointVersion,
        int payloadSpecVersion,
        String trigger,
        @Nullable Instant runAt,
        Duration delay,
        int queueId,
        int priority,
        Set<String> tags,
        String idempotencyKey,
        UUID fingerprint,
        @Nullable JsonNode input,
        @Nullable TraceContext trace,
        @Nullable FlowKey flow,
        boolean namesQueue,
        Expiry expiry,
        @Nullable Dependencies dependencies,
        JobOptions options,
        boolean pulled) {
    /** Whether it is to run at once. */
    boolean isForNow() {
        return runAt == null && delay.isZero();
    }

    /** Whether workers of this program deliver its execution, or pull workers lease it. */
    Work work() {
        return pulled ? Work.PULLED : Work.PUSHED;
    }

    /** An idempotency key, which belongs to one job at a time. */
    public record Key(String endpoint, String key) {}

    /** Its idempotency key. */
    public Key key() {
        return new Key(endpoint, idempotencyKey);
    }

    /** The same job at another time, with these times to live. */
    NewJob at(@Nullable Instant time, Duration delayed, Expiry times) {
        return new NewJob(
                id,
                endpoint,
                endpointVersion,
                payloadSpecVersion,
                trigger,
                time,
                delayed,
                queueId,
                priority,
                tags,
                idempotencyKey,
                fingerprint,
                input,
                trace,
                flow,
                namesQueue,
                times,
                dependencies,
                options,
                pulled);
    }

    /** The queue, the line and the priority in one number. */
    int lane(int region) {
        var lane = Lanes.lane(queueId, region, SCHEDULED.contains(trigger), priority);
        return flow == null ? lane : Lanes.keyed(lane);
    }

    /** The tags in one text, null for none: arrays of arrays must all have the same length. */
    @Nullable
    String joinedTags() {
        return tags.isEmpty() ? null : String.join(",", tags);
    }

    /** The time to live in milliseconds, null for none. */
    @Nullable
    Long ttlMillis() {
        return millisOrNull(expiry.ttl());
    }

    /** The word of the trigger rule, null for none. */
    @Nullable
    String ruleWord() {
        return dependencies == null ? null : dependencies.rule().word();
    }

    /** Whether it waits for others: a job of a workflow may have a rule and no parents. */
    boolean hasParents() {
        return dependencies != null && !dependencies.parents().isEmpty();
    }

    /** The delay from the moment when the trigger rule holds, null for none. */
    @Nullable
    Long readyDelayMillis() {
        return !hasParents() || delay.isZero() ? null : delay.toMillis();
    }

    /** The input as JSON text, null for none. */
    public @Nullable String storedInput() {
        return Json.text(input);
    }

    /** The settings as JSON text, null for none. */
    @Nullable
    String storedOptions() {
        return options.isNone() ? null : Json.write(options.toJson());
    }

    /** The trace in one text, null for none. */
    @Nullable
    String storedTrace() {
        return trace == null ? null : trace.toText();
    }

    private static final Set<String> SCHEDULED = Set.of("CRON", "INTERVAL");

    /** The result of the creation of a job. */
    public sealed interface Result {
        /**
         * It was created.
         *
         * @param status of its execution
         */
        record Created(Instant createdAt, Instant runAt, ExecutionStatus status) implements Result {}

        /** The key belongs to a job already, made by the same request or by another one. */
        record Duplicate(UUID jobId, boolean sameRequest) implements Result {}

        /** It was not, since a parent cannot be one. */
        record Refused(UUID parent, Reason reason) implements Result {
            /** The fault of a parent. */
            public enum Reason {
                /** There is no such job any more, or never was. */
                MISSING,
                /** It has executions without end. */
                SCHEDULE
            }
        }

        /** The endpoint or its payload spec has changed or gone since the input was checked: check again. */
        record Stale() implements Result {}
    }
}
