package io.taskexec.api.execution;

import io.taskexec.model.wait.Progress;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The progress of an execution as it is shown. */
@Schema(name = "Progress")
record ProgressView(
        int attempt,
        @Schema(description = "Units that are done.") double current,

        @Schema(description = "Units in all.") @Nullable Double total,

        @Nullable Double percent,
        @Nullable String message,

        @Schema(description = "Units a second, over the last 30 to 60 seconds of reports.") @Nullable
        Double ratePerSec,

        @Schema(description = "When all will be done, at this rate.") @Nullable
        Instant estimatedCompletionAt,

        Instant reportedAt) {
    static @Nullable ProgressView of(@Nullable Progress progress) {
        return progress == null
                ? null
                : new ProgressView(
                        progress.attempt(),
                        progress.current(),
                        progress.total(),
                        progress.percent(),
                        progress.message(),
                        progress.rate(),
                        progress.estimatedCompletion(),
                        progress.reportedAt());
    }
}
