package io.taskexec.job;

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

/** Reads the fields that say when the ticks of a job are. */
public final class TimetableRequest {
    private TimetableRequest() {}

    /** For {@link #valid}, after all other fields were checked. */
    static Supplier<Timetable> cron(Fields fields) {
        var cron = new Timetable.Cron(fields.text("cron"), fields.text("timezone"), DstRequest.read(fields));
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
