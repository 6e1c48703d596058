package io.taskexec.api.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.DstRequest;
import io.taskexec.request.Fields;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schedule.Tick;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Schedules before they become jobs. */
@Path("/schedules")
@Produces(MediaType.APPLICATION_JSON)
public class ScheduleResource {
    /** A question when a schedule fires: {@code cron} or {@code every}. */
    @Schema(name = "SchedulePreviewRequest")
    record Request(
            @Schema(minLength = 1, maxLength = 255, examples = "0 9 * * MON", description = "This or 'every'.")
            @Nullable
            String cron,

            @Schema(
                    maxLength = 64,
                    format = "duration",
                    examples = "PT15M",
                    description = "An ISO 8601 duration of at least a second.")
            @Nullable
            String every,

            @Schema(
                    maxLength = 64,
                    examples = "Europe/Berlin",
                    description = "Required with 'cron'. With 'every', what local times are in; default UTC.")
            @Nullable
            String timezone,

            @Schema(description = "No tick before it; default now.") @Nullable
            OffsetDateTime from,

            @Schema(description = "No tick before it, and the first tick of 'every'; default 'from'.") @Nullable
            OffsetDateTime startsAt,

            @Schema(description = "No tick from it on.") @Nullable
            OffsetDateTime endsAt,

            @Schema(minimum = "1", maximum = "1000", defaultValue = "10") @Nullable
            Integer count,

            @Nullable DstRequest dst,

            @Schema(
                    pattern = "^job_[0-9a-f]{32}$",
                    description = "For 'H' in 'cron': the id of the job's first version.")
            @Nullable
            String hashKey) {}

    /**
     * The response.
     *
     * @param description the schedule in words
     * @param timezoneRules the version of the tz database
     */
    @Schema(name = "SchedulePreview")
    record View(String description, String timezoneRules, List<Item> items) {
        static View of(PreviewRequest request) {
            return new View(
                    request.schedule().describe(),
                    CronSchedule.timeZoneRules(),
                    request.ticks().stream()
                            .map(tick -> Item.of(tick, request.zone()))
                            .toList());
        }
    }

    /**
     * One tick.
     *
     * @param flags what a change of the clock has to do with it
     */
    @Schema(name = "SchedulePreviewTick")
    record Item(Instant utc, OffsetDateTime local, List<Tick.Flag> flags) {
        static Item of(Tick tick, ZoneId zone) {
            return new Item(
                    tick.at(),
                    tick.at().atZone(zone).toOffsetDateTime(),
                    tick.flags().stream().sorted().toList());
        }
    }

    @POST
    @Path("/preview")
    public Uni<View> preview(byte @Nullable [] body) {
        return Uni.createFrom().item(View.of(PreviewRequest.read(Fields.of(body))));
    }
}
