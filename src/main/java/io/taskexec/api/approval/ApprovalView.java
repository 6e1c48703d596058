package io.taskexec.api.approval;

import io.taskexec.model.PublicId;
import io.taskexec.model.wait.Approval;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A question to a person as it is shown. */
@Schema(name = "Approval")
record ApprovalView(
        String executionId,
        String title,
        @Nullable String details,

        @Schema(description = "The endpoint that tells people of it.")
        String announce,

        Instant askedAt,
        Instant deadline,

        @Schema(description = "Announcements after the first one.")
        int reminders,

        @Schema(ref = "OnTimeout") String onTimeout,

        @Schema(ref = "Decision", nullable = true) @Nullable String decision,

        @Schema(description = "The name of the person, as they gave it, or of the API key.") @Nullable
        String decidedBy,

        @Schema(
                enumeration = {"link", "key"},
                description = "Whether on the page, under any name, or by an API key.")
        @Nullable
        String decidedVia,

        @Nullable String comment,
        @Nullable String address,
        @Nullable Instant decidedAt) {
    static ApprovalView of(Approval approval) {
        var decision = approval.decision();
        return new ApprovalView(
                PublicId.EXECUTION.show(approval.executionId()),
                approval.title(),
                approval.details(),
                approval.announce(),
                approval.askedAt(),
                approval.deadline(),
                approval.reminders(),
                approval.onTimeout().word(),
                decision == null ? null : decision.word(),
                approval.decidedBy(),
                approval.decidedVia(),
                approval.comment(),
                approval.address(),
                approval.decidedAt());
    }
}
