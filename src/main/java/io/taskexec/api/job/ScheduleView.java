package io.taskexec.api.job;

import io.taskexec.job.TimetableRequest;
import io.taskexec.model.job.Pause;
import io.taskexec.model.job.SchedulePolicy.CatchUp;
import io.taskexec.model.job.SchedulePolicy.Overlap;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.job.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The fields of CRON and INTERVAL jobs that other jobs do not have. */
@Schema(name = "Schedule")
record ScheduleView(
        @Nullable String cron,
        @Nullable String timezone,
        TimetableRequest.@Nullable Dst dst,
        @Schema(format = "duration") @Nullable String every,
        Instant startsAt,
        @Nullable Instant endsAt,
        @Nullable Integer maxFires,
        long fires,
        CatchUpShape catchUp,
        Overlap overlap,
        @Schema(format = "duration") @Nullable String jitter,
        @Nullable PauseView pause,
        @Nullable String setAsideReason,
        @Nullable OffsetDateTime nextRunAt,
        @Nullable OffsetDateTime lastTickAt) {
    private static final String UTC = "UTC";

    /** Decides about ticks whose time passed while no scheduler ran. */
    @Schema(name = "CatchUp")
    record CatchUpShape(
            CatchUp.@Nullable Mode mode,
            @Nullable Integer max,
            @Nullable String window) {
        static CatchUpShape of(CatchUp catchUp) {
            return catchUp.mode() == CatchUp.Mode.ALL
                    ? new CatchUpShape(catchUp.mode(), catchUp.max(), text(catchUp.window()))
                    : new CatchUpShape(catchUp.mode(), null, null);
        }
    }

    /** The pause that is in force. */
    @Schema(name = "Pause")
    record PauseView(
            Instant pausedAt,
            @Nullable Instant until,
            @Nullable String reason) {
        static PauseView of(Pause pause) {
            return new PauseView(pause.from(), pause.until(), pause.reason());
        }
    }

    static ScheduleView of(Trigger.Scheduled scheduled) {
        var cron = scheduled.timetable() instanceof Timetable.Cron it ? it : null;
        var every = scheduled.timetable() instanceof Timetable.Every it ? it : null;
        var zone = cron == null ? UTC : cron.timezone();
        var policy = scheduled.policy();
        var state = scheduled.state();
        return new ScheduleView(
                cron == null ? null : cron.expression(),
                cron == null ? null : zone,
                cron == null
                        ? null
                        : new TimetableRequest.Dst(cron.dst().gap(), cron.dst().overlap()),
                every == null ? null : every.every().toString(),
                policy.startsAt(),
                policy.endsAt(),
                policy.maxFires(),
                state.fires(),
                CatchUpShape.of(policy.catchUp()),
                policy.overlap(),
                policy.jitter().isZero() ? null : text(policy.jitter()),
                state.pause() == null ? null : PauseView.of(state.pause()),
                state.setAsideReason(),
                local(state.nextRunAt(), zone),
                local(state.lastTickAt(), zone));
    }

    private static @Nullable String text(@Nullable Duration duration) {
        return duration == null ? null : duration.toString();
    }

    /** Ticks are shown with the offset of their zone, as the author of the expression thinks of them. */
    private static @Nullable OffsetDateTime local(@Nullable Instant tick, String timezone) {
        return tick == null ? null : tick.atZone(ZoneId.of(timezone)).toOffsetDateTime();
    }
}
