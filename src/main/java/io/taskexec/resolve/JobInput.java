package io.taskexec.resolve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.PublicId;
import io.taskexec.model.delivery.Claim;
import io.taskexec.model.job.Failure;
import org.jspecify.annotations.Nullable;

/** The values that a job brings to the templates of its endpoint. */
public sealed interface JobInput {
    /**
     * They are there.
     *
     * @param parents null where no template needs them
     * @param workflow null where no template needs it
     */
    record Ready(
            @Nullable JsonNode input,
            @Nullable JsonNode parents,
            @Nullable JsonNode workflow) implements JobInput {}

    /** The condition of the job does not hold. */
    record Skipped() implements JobInput {}

    /** The templates of the input have no value, or one that the endpoint does not take. */
    record Invalid(Failure.Type type, String message) implements JobInput {}

    /** There was no time to find out whether the endpoint takes the input; there may be later. */
    record Unchecked(String message) implements JobInput {
        /** The failure of an attempt that ends so. */
        public Failure failure() {
            return new Failure(Failure.Type.INPUT_VALIDATION_FAILED, message);
        }
    }

    /** The values of the job itself. */
    static JsonNode job(Claim claim) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", PublicId.JOB.show(claim.jobId()))
                .put("scheduled_for", claim.runAt().toString());
    }
}
