package io.taskexec.api;

import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * What a dry run has found.
 *
 * @param more whether there are more than have been counted
 */
@Schema(name = "BulkPreview")
record BulkPreview(
        @Schema(description = "Exact up to 100,000.") long count,

        boolean more,

        @Schema(description = "The newest ones, ten at most.")
        List<ExecutionView> sample)
        implements BulkAnswer {}
