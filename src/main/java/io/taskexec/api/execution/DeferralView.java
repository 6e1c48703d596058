package io.taskexec.api.execution;

import io.taskexec.model.wait.Deferral;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The wait of an execution for its receiver as it is shown. */
@Schema(name = "Deferral")
record DeferralView(
        @Schema(enumeration = {"callback", "poll", "approval"})
        String mode,

        @Schema(description = "The address that is polled, without its query.") @Nullable
        String pollUrl,

        @Schema(description = "The time between two polls.") @Nullable
        String pollEvery,

        Instant since,

        @Schema(description = "After it the attempt has failed.")
        Instant deadline,

        @Schema(description = "The longest that the receiver may be silent.") @Nullable
        String heartbeatTimeout,

        @Schema(description = "The last sign of life of the receiver.")
        Instant heardAt) {
    static @Nullable DeferralView of(@Nullable Deferral deferral) {
        return deferral == null
                ? null
                : new DeferralView(
                        deferral.mode().word(),
                        url(deferral),
                        text(deferral.every()),
                        deferral.since(),
                        deferral.deadline(),
                        text(deferral.heartbeatTimeout()),
                        deferral.heardAt());
    }

    /** A query may have a token. */
    private static @Nullable String url(Deferral deferral) {
        var url = deferral.pollUrl();
        return url == null ? null : url.toString().replaceFirst("[?#].*", "");
    }

    private static @Nullable String text(@Nullable Duration time) {
        return time == null ? null : time.toString();
    }
}
