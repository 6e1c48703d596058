package io.taskexec.api.execution;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * The result of a dry run.
 *
 * @param more whether there may be more than have been counted
 */
@Schema(name = "BulkPreview")
record BulkPreview(
        @Schema(enumeration = KIND, description = "Tells this from an operation.")
        String kind,

        @Schema(description = "Exact up to 100,000.") long count,

        @Schema(description = "Whether there may be more than were counted.")
        boolean more,

        @Schema(description = "The newest ones, ten at most.")
        List<ExecutionView> sample)
        implements BulkAnswer {
    static final String KIND = "PREVIEW";

    BulkPreview(long count, boolean more, List<ExecutionView> sample) {
        this(KIND, count, more, sample);
    }
}
