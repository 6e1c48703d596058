package io.taskexec.job;

import io.taskexec.model.job.DstPolicy;
import io.taskexec.model.job.Timetable;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.schedule.Interval;
import io.taskexec.schedule.InvalidScheduleException;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Reads the fields that say when the ticks of a job are. */
public final class TimetableRequest {
    private TimetableRequest() {}

    /** The {@code dst} field of a cron schedule; absent members have their default. */
    @Schema(name = "DstPolicy")
    public record Dst(DstPolicy.@Nullable Gap gap, DstPolicy.@Nullable Overlap overlap) {
        /** The policy under {@code dst}, the default one when it is absent. */
        public static DstPolicy read(Fields fields) {
            var dst = fields.fields("dst");
            var gap = dst.choice("gap", DstPolicy.Gap.class);
            var policy = new DstPolicy(gap, dst.choice("overlap", DstPolicy.Overlap.class));
            dst.checkNested();
            return policy;
        }
    }

    /** For {@link #valid}, after all other fields were checked. */
    static Supplier<Timetable> cron(Fields fields) {
        var cron = new Timetable.Cron(fields.text("cron"), fields.text("timezone"), Dst.read(fields));
        return () -> cron;
    }

    /** For {@link #valid}, after all other fields were checked. */
    static Supplier<Timetable> interval(Fields fields) {
        var every = fields.text("every");
        return () -> new Timetable.Every(Interval.parse(every, Instant.EPOCH).every());
    }

    /**
     * Returns the timetable that {@code reader} makes of the fields; throws INVALID_CRON with a pointer to the one that
     * it cannot use.
     */
    public static <T> T valid(Fields fields, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (InvalidScheduleException e) {
            throw invalid(fields, field(e.part()), String.valueOf(e.getMessage()));
        }
    }

    private static String field(InvalidScheduleException.Part part) {
        return switch (part) {
            case EXPRESSION -> "cron";
            case ZONE -> "timezone";
            case INTERVAL -> "every";
            case START -> "starts_at";
        };
    }

    /** INVALID_CRON with a pointer to a field. */
    static ApiException invalid(Fields fields, String field, String message) {
        return new ApiException(
                ErrorCode.INVALID_CRON, Fields.sentence(message), List.of(new Detail(fields.pointer(field), message)));
    }
}
