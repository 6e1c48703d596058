package io.taskexec.api.job;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.taskexec.model.PublicId;
import io.taskexec.model.endpoint.EndpointType;
import io.taskexec.model.job.Execution;
import io.taskexec.model.job.ExecutionStatus;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobStats;
import io.taskexec.store.job.StatusStore.Active;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The state of a job at a glance. */
@Schema(name = "JobStatusReport")
record JobStatusView(
        String jobId,
        @Nullable String endpoint,
        EndpointType endpointType,
        @Schema(ref = "JobTrigger") String trigger,
        JobStats.Health health,
        int version,
        @Nullable LastExecution lastExecution,
        ActiveExecutions activeExecutions,
        @Nullable Cron cron,
        @Nullable Interval interval,
        Stats stats) {
    private static final double MEDIAN = 0.5;
    private static final double TAIL = 0.99;

    /** The execution that ended last. */
    @Schema(name = "LastExecution")
    record LastExecution(
            String executionId,
            ExecutionStatus status,
            @Nullable Instant startedAt,
            @Nullable Instant completedAt,
            int attemptNumber) {
        static LastExecution of(Execution execution) {
            return new LastExecution(
                    PublicId.EXECUTION.show(execution.id()),
                    execution.status(),
                    execution.startedAt(),
                    execution.completedAt(),
                    execution.attemptCount());
        }
    }

    /** Executions that have not ended. */
    @Schema(name = "ActiveExecutions")
    record ActiveExecutions(long pending, long running, long total) {}

    /** Of a CRON job only. */
    @Schema(name = "CronState")
    record Cron(
            String expression,
            String timezone,
            @Nullable OffsetDateTime nextRunAt,
            @Nullable OffsetDateTime lastTickAt) {
        static @Nullable Cron of(@Nullable ScheduleView schedule) {
            return schedule == null || schedule.cron() == null || schedule.timezone() == null
                    ? null
                    : new Cron(schedule.cron(), schedule.timezone(), schedule.nextRunAt(), schedule.lastTickAt());
        }
    }

    /** Of an INTERVAL job only. */
    @Schema(name = "IntervalState")
    record Interval(
            @Schema(format = "duration") String every,
            @Nullable OffsetDateTime nextRunAt,
            @Nullable OffsetDateTime lastTickAt) {
        static @Nullable Interval of(@Nullable ScheduleView schedule) {
            return schedule == null || schedule.every() == null
                    ? null
                    : new Interval(schedule.every(), schedule.nextRunAt(), schedule.lastTickAt());
        }
    }

    /** Numbers by period. */
    @Schema(name = "JobStatistics")
    record Stats(@JsonProperty("last_24h") Period lastDay) {}

    /** Statistics of the executions that ended within a period, with durations of the last attempts. */
    @Schema(name = "JobStatisticsPeriod")
    record Period(
            long total,
            long succeeded,
            long failed,
            long expired,
            @Nullable Long avgDurationMs,
            @Nullable Long p50DurationMs,
            @Nullable Long p99DurationMs) {
        static Period of(JobStats stats) {
            return new Period(
                    stats.total(),
                    stats.succeeded(),
                    stats.failed(),
                    stats.expired(),
                    stats.averageMs(),
                    stats.percentileMs(MEDIAN),
                    stats.percentileMs(TAIL));
        }
    }

    static JobStatusView of(Job job, @Nullable Execution last, Active active, JobStats stats) {
        var view = JobView.of(job);
        return new JobStatusView(
                view.jobId(),
                view.endpoint(),
                view.endpointType(),
                view.trigger(),
                stats.health(),
                view.version(),
                last == null ? null : LastExecution.of(last),
                new ActiveExecutions(active.pending(), active.running(), active.pending() + active.running()),
                Cron.of(view.schedule()),
                Interval.of(view.schedule()),
                new Stats(Period.of(stats)));
    }
}
