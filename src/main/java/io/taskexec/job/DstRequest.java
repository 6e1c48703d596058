package io.taskexec.job;

import io.taskexec.model.job.DstPolicy;
import io.taskexec.request.Fields;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The {@code dst} field of a cron schedule; absent members have their default. */
@Schema(name = "DstPolicy")
public record DstRequest(DstPolicy.@Nullable Gap gap, DstPolicy.@Nullable Overlap overlap) {
    private static final String FIELD = "dst";

    /** The policy under {@code dst}, the default one when it is absent. */
    public static DstPolicy read(Fields fields) {
        var dst = fields.fields(FIELD);
        var policy =
                new DstPolicy(dst.choice("gap", DstPolicy.Gap.class), dst.choice("overlap", DstPolicy.Overlap.class));
        dst.checkNested();
        return policy;
    }
}
