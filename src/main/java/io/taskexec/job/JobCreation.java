package io.taskexec.job;

import static java.util.Objects.requireNonNull;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.RegisteredEndpoints.Registered;
import io.taskexec.model.TraceContext;
import io.taskexec.model.Uuid7;
import io.taskexec.model.job.Expiry;
import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.JobOptions;
import io.taskexec.model.job.JobOptions.Announcement;
import io.taskexec.model.job.JobOptions.Workflow;
import io.taskexec.model.job.JobStatus;
import io.taskexec.model.job.OnConflict;
import io.taskexec.model.job.Timetable;
import io.taskexec.model.job.Trigger;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.schema.InputSchema;
import io.taskexec.store.job.JobReplacement.Replaced;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.NewJob;
import io.taskexec.store.job.NewJob.Result;
import io.taskexec.store.job.ScheduleStore.Current;
import io.taskexec.store.job.ScheduleStore.NewSchedule;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Checks the input of jobs against their endpoint and creates them, or finds the one that has the key. */
@Singleton
public class JobCreation {
    private final RegisteredEndpoints endpoints;
    private final JobStores stores;
    private final JobQueues queues;
    private final InputChecks checks;
    private final DryRuns dryRuns;

    JobCreation(
            RegisteredEndpoints endpoints, JobStores stores, JobQueues queues, InputChecks checks, DryRuns dryRuns) {
        this.endpoints = endpoints;
        this.queues = queues;
        this.stores = stores;
        this.checks = checks;
        this.dryRuns = dryRuns;
    }

    /** The job of a request. */
    public sealed interface Outcome {
        /** The id of the job. */
        UUID id();

        /** Whether the request has created it; false when its key had a job already. */
        boolean created();

        /** Whether it runs once, as the execution that has its id. */
        default boolean isOneShot() {
            return !(this instanceof Stored(var job, var _) && job.trigger() instanceof Trigger.Scheduled);
        }

        /**
         * A one-shot job that has just been created, which costs no look at the database.
         *
         * @param superseded the job whose place it has taken; null for none
         */
        record OneShot(
                NewJob job,
                Registered endpoint,
                String queue,
                Result.Created result,
                @Nullable UUID superseded) implements Outcome {
            @Override
            public UUID id() {
                return job.id();
            }

            @Override
            public boolean created() {
                return true;
            }
        }

        /** A job as it was read from the database. */
        record Stored(Job job, boolean created) implements Outcome {
            @Override
            public UUID id() {
                return job.id();
            }
        }
    }

    /**
     * Creates the job that a request's body describes; fails with an {@link ApiException} that says why there is none.
     *
     * @param trace what the request belongs to; the same request may be repeated in another one
     * @param time what is left to the request for checks
     * @param dryRun whether it is only tried
     */
    public Uni<Outcome> create(
            Fields fields, @Nullable String headerKey, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        var trigger = TriggerFields.read(fields);
        Repeatable request = switch (trigger) {
            case CRON, INTERVAL -> ScheduleRequest.read(fields, trigger, headerKey);
            case IMMEDIATE, DELAYED -> JobRequest.read(fields, trigger, headerKey);
        };
        return orRepeated(
                request,
                () -> endpoints.allowed(request.options(), fields, () -> create(request, fields, trace, time, dryRun)));
    }

    private Uni<Outcome> create(
            Repeatable request, Fields fields, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        return switch (request) {
            case ScheduleRequest schedule -> createSchedule(schedule, fields, trace, time, dryRun);
            case JobRequest once -> createOnce(once, fields, trace, time, dryRun);
        };
    }

    /** Whether a request's body asks for a schedule. */
    public static boolean isSchedule(Fields fields) {
        return switch (TriggerFields.read(fields)) {
            case CRON, INTERVAL -> true;
            case IMMEDIATE, DELAYED -> false;
        };
    }

    /** Creates a job that announces a question, and whose input gets the address when it is delivered. */
    public Uni<Outcome> announce(Fields fields, Announcement question, @Nullable TraceContext trace, CheckTime time) {
        var request = JobRequest.read(fields, TriggerKind.IMMEDIATE, null).announcing(question);
        return orRepeated(request, () -> createOnce(request, fields, trace, time, false));
    }

    /**
     * A run of a workflow, or a schedule of runs, as it is asked for.
     *
     * @param endpoint the name of its definition, or the one that stands for none
     * @param inline the graph where there is no definition
     * @param check fails with an {@link ApiException} when it cannot be run as things are
     */
    public record RunRequest(String endpoint, @Nullable Workflow inline, Supplier<Uni<Void>> check) {}

    /** Creates a run of a workflow, or a schedule of runs; fails with an {@link ApiException}. */
    public Uni<Outcome> createWorkflow(
            Fields fields,
            RunRequest run,
            @Nullable String headerKey,
            @Nullable TraceContext trace,
            CheckTime time,
            boolean dryRun) {
        var trigger = TriggerFields.read(fields);
        var name = run.endpoint();
        Repeatable request = switch (trigger) {
            case CRON, INTERVAL -> ScheduleRequest.ofWorkflow(fields, trigger, name, run.inline(), headerKey);
            case IMMEDIATE, DELAYED -> {
                var expiry = Expiry.ofTtl(ExpiryFields.ttl(fields));
                yield JobRequest.ofWorkflow(fields, trigger, name, run.inline(), expiry, headerKey);
            }
        };
        return orRepeated(request, () -> run.check().get().chain(() -> create(request, fields, trace, time, dryRun)));
    }

    /** A request for a job, which may be the repetition of one that has created it. */
    sealed interface Repeatable permits JobRequest, ScheduleRequest {
        String endpoint();

        String idempotencyKey();

        JobOptions options();

        /** Equal for equal requests, however they are spelled. */
        UUID fingerprint();

        /** Whether a repetition is answered with the job of the first request. */
        boolean isRepeatable();
    }

    /**
     * Creates the job of a request. One that is refused may be the repetition of one that was not: it gets the job of
     * that one, whatever has changed since.
     */
    private Uni<Outcome> orRepeated(Repeatable request, Supplier<Uni<Outcome>> creation) {
        return Uni.createFrom()
                .deferred(creation::get)
                .onFailure(failure -> request.isRepeatable() && isRefusal(failure))
                .recoverWithUni(refusal -> repeated(request, refusal));
    }

    /** Whether the same request may have been accepted before: not where its key belongs to another one. */
    private static boolean isRefusal(Throwable failure) {
        return failure instanceof ApiException refusal && refusal.code() != ErrorCode.IDEMPOTENCY_KEY_REUSED;
    }

    private Uni<Outcome> repeated(Repeatable request, Throwable refusal) {
        return stores.creator()
                .find(request.endpoint(), request.idempotencyKey(), request.fingerprint())
                .chain(first -> first == null || !first.sameRequest()
                        ? Uni.createFrom().<@Nullable Outcome>failure(refusal)
                        : stored(Jobs.read(stores.jobs(), first.jobId()), false))
                .map(outcome -> requireNonNull(outcome));
    }

    private Uni<Outcome> createOnce(
            JobRequest request, Fields fields, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        request.checkInTime(fields);
        return endpoints.withCurrent(
                request.endpoint(),
                dryRun,
                endpoint -> queues.queued(
                        endpoint,
                        request.queue(),
                        fields,
                        queue -> checks.checked(
                                schema(endpoint, request), request.input(), request.pointer(), time, () -> {
                                    OptionFields.checkFits(fields, endpoint.type());
                                    request.conflict().checkFits(fields, endpoint.type());
                                    var job = request.newJob(Uuid7.next(), endpoint, queue, trace);
                                    return queues.settled(job)
                                            .chain(effective -> dryRuns.write(
                                                    dryRun,
                                                    stores,
                                                    endpoint.name(),
                                                    writing -> create(writing, request, fields, endpoint, effective)));
                                })));
    }

    /** An input with templates is checked when its values are known. */
    static @Nullable InputSchema schema(Registered endpoint, JobRequest request) {
        return request.options().isTemplate() ? null : endpoint.schema();
    }

    private static Uni<@Nullable Outcome> create(
            JobStores writing, JobRequest request, Fields fields, Registered endpoint, NewJob job) {
        var named = request.queue();
        var queue = named == null ? endpoint.queue().name() : named;
        return written(writing, job, request.conflict()).chain(done -> switch (done.result()) {
            case Result.Created created ->
                Uni.createFrom().item(new Outcome.OneShot(job, endpoint, queue, created, done.superseded()));
            case Result.Duplicate(var id, var same) ->
                stored(request.conflict().existing(writing.jobs(), request.idempotencyKey(), id, same), false);
            case Result.Refused refused -> Uni.createFrom().failure(DependencyFields.refusal(fields, refused));
            case Result.Stale() -> Uni.createFrom().nullItem();
        });
    }

    private static Uni<Replaced> written(JobStores writing, NewJob job, Conflict conflict) {
        return conflict.mode() == OnConflict.REPLACE
                ? writing.replacement().replace(job, conflict.maxWait())
                : writing.creator().create(job).map(result -> new Replaced(result, null));
    }

    private Uni<Outcome> createSchedule(
            ScheduleRequest request, Fields fields, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        return stores.schedules()
                .now()
                .chain(now -> write(
                        request,
                        fields,
                        trace,
                        time,
                        dryRun,
                        (writing, job) ->
                                create(writing, request, newSchedule(job, job.id(), request, fields, now, now))));
    }

    /** Writes the schedule of a request, or tries it, once all that is asked for has been checked. */
    private <T> Uni<T> write(
            ScheduleRequest request,
            Fields fields,
            @Nullable TraceContext trace,
            CheckTime time,
            boolean dryRun,
            BiFunction<JobStores, NewJob, Uni<@Nullable T>> write) {
        var pointer = fields.pointer("input");
        return endpoints.withCurrent(
                request.endpoint(),
                dryRun,
                endpoint -> queues.queued(
                        endpoint,
                        request.queue(),
                        fields,
                        queue -> checks.checked(endpoint.schema(), request.input(), pointer, time, () -> {
                            OptionFields.checkFits(fields, endpoint.type());
                            var job = request.newJob(endpoint, queue, trace);
                            return dryRuns.write(dryRun, stores, endpoint.name(), writing -> write.apply(writing, job));
                        })));
    }

    private static Uni<@Nullable Outcome> create(JobStores writing, ScheduleRequest request, NewSchedule schedule) {
        return writing.schedules().create(schedule).chain(result -> switch (result) {
            case Result.Created _ ->
                stored(Jobs.read(writing.jobs(), schedule.job().id()), true);
            case Result.Duplicate(var id, var same) ->
                stored(Jobs.existing(writing.jobs(), request.idempotencyKey(), id, same), false);
            case Result.Refused _ -> throw neverRefused();
            case Result.Stale() -> Uni.createFrom().nullItem();
        });
    }

    private static IllegalStateException neverRefused() {
        return new IllegalStateException("a schedule depends on nothing");
    }

    private static Uni<@Nullable Outcome> stored(Uni<@Nullable Job> job, boolean created) {
        return job.map(found -> new Outcome.Stored(requireNonNull(found), created));
    }

    /** Replaces a CRON or INTERVAL job by the next version that a request's body describes, or tries it. */
    public Uni<Job> replace(Job job, Fields fields, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        var _ = scheduled(job);
        var request = ScheduleRequest.readUpdate(fields, job);
        return endpoints.allowed(
                request.options(),
                fields,
                () -> write(
                        request,
                        fields,
                        trace,
                        time,
                        dryRun,
                        (writing, next) -> replace(writing, job.id(), next, request, fields)));
    }

    /**
     * Replaces a CRON or INTERVAL job by one with the changes of a patch, or tries it. A version never changes, so that
     * the one that was read is the one that is replaced, or the patch fails.
     */
    public Uni<Job> patch(Job job, JobPatch patch, @Nullable TraceContext trace, CheckTime time, boolean dryRun) {
        var schedule = scheduled(job);
        var next = patch.apply(job, schedule);
        // One that is not in force is refused by the write, which knows what has replaced it. One that was set aside
        // goes on as its next version, also when nothing else changes.
        return next.isSame()
                        && job.status() == JobStatus.ACTIVE
                        && schedule.state().setAsideReason() == null
                ? Uni.createFrom().item(job)
                : replace(job, Fields.of(next.fields(), "", JobFields.REPLACEMENT), trace, time, dryRun);
    }

    private static Trigger.Scheduled scheduled(Job job) {
        if (job.trigger() instanceof Trigger.Scheduled schedule) {
            return schedule;
        }
        throw new ApiException(
                ErrorCode.JOB_NOT_UPDATABLE,
                "Only CRON and INTERVAL jobs can be replaced; PATCH changes a job that runs once.");
    }

    private static Uni<@Nullable Job> replace(
            JobStores writing, UUID oldId, NewJob job, ScheduleRequest request, Fields fields) {
        return writing.schedules()
                .replace(oldId, job.id(), current -> newSchedule(job, request, fields, current))
                .chain(result -> replaced(writing.jobs(), oldId, job.id(), request, result));
    }

    private static Uni<@Nullable Job> replaced(
            JobStore jobs, UUID oldId, UUID id, ScheduleRequest request, @Nullable Result result) {
        return switch (result) {
            case null -> Jobs.notInForce(jobs, oldId, ErrorCode.JOB_NOT_UPDATABLE);
            case Result.Stale() -> Uni.createFrom().nullItem();
            case Result.Created _ -> Jobs.read(jobs, id);
            case Result.Duplicate(var owner, var same) -> Jobs.existing(jobs, request.idempotencyKey(), owner, same);
            case Result.Refused _ -> throw neverRefused();
        };
    }

    /**
     * Intervals are counted from where they were, unless the request says otherwise: an update keeps its place in time.
     */
    private static NewSchedule newSchedule(NewJob job, ScheduleRequest request, Fields fields, Current current) {
        var isInterval = request.timetable() instanceof Timetable.Every;
        return newSchedule(
                job, current.rootId(), request, fields, current.now(), isInterval ? current.startsAt() : current.now());
    }

    private static NewSchedule newSchedule(
            NewJob job, UUID rootId, ScheduleRequest request, Fields fields, Instant now, Instant startOtherwise) {
        var policy = request.policy(startOtherwise);
        var first = request.firstTick(rootId, policy, now);
        if (first == null) {
            var field = request.endsAt() != null ? "ends_at" : fields.has("cron") ? "cron" : "every";
            throw TimetableRequest.invalid(fields, field, "The schedule has no tick before it ends.");
        }
        return new NewSchedule(job, request.timetable(), policy, first, CronSchedule.timeZoneRules());
    }
}
