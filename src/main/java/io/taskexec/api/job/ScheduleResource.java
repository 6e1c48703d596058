package io.taskexec.api.job;

import static io.taskexec.model.FieldDefinition.optional;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.api.web.RequestSchema;
import io.taskexec.model.ObjectDefinition;
import io.taskexec.model.ValueType.Plain;
import io.taskexec.model.ValueType.Text;
import io.taskexec.model.ValueType.Whole;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ErrorCode;
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
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jspecify.annotations.Nullable;

/** Schedules before they become jobs. */
@Path("/schedules")
@Produces(MediaType.APPLICATION_JSON)
@Cancellable(false)
public class ScheduleResource {
    /** A question when a schedule fires: {@code cron} or {@code every}. */
    public static final ObjectDefinition PREVIEW = ObjectDefinition.of(
            "SchedulePreviewRequest",
            JobFields.CRON.says("This or 'every'."),
            JobFields.EVERY.says("An ISO 8601 duration of at least a second."),
            JobFields.TIMEZONE.says("Required with 'cron'. With 'every', what local times are in; default UTC."),
            optional("from", Plain.TIME).says("No tick before it; default now."),
            optional("starts_at", Plain.TIME)
                    .says("No tick before it, and the first tick of 'every'; default 'from'. Without both it is now,"
                            + " and as that of a job the first tick of 'every' is one interval later."),
            optional("ends_at", Plain.TIME).says("No tick from it on."),
            optional("count", new Whole(1, 1000)).or("10"),
            JobFields.DST,
            optional("hash_key", Text.like(64, "^job_[0-9a-f]{32}$"))
                    .says("For 'H' in 'cron': the id of the job's first version."));

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
    @Operation(operationId = "previewSchedule", summary = "Preview when a schedule fires.")
    @RequestSchema("SchedulePreviewRequest")
    @Fails(ErrorCode.INVALID_CRON)
    public Uni<View> preview(byte @Nullable [] body) {
        return Uni.createFrom().item(View.of(PreviewRequest.read(Fields.of(body, PREVIEW))));
    }
}
