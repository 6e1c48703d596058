package io.taskexec.web.page;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.job.JobFilter;
import io.taskexec.api.job.JobResource;
import io.taskexec.api.job.LedgerResource;
import io.taskexec.api.job.ScheduleControlResource;
import io.taskexec.api.job.ScheduleResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.PublicId;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.job.LedgerStore;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Schedules: their next ticks, what became of the last ones, and their pauses. */
@Singleton
final class SchedulesPage implements Section {
    private static final List<String> FILTERS = List.of("trigger", "endpoint", "tag");
    private static final int LIMIT = 50;
    private static final int TICKS = 100;
    private static final int NEXT = 10;
    private static final int MOST_BACKFILLED = 1_000;

    private final JobResource jobs;
    private final ScheduleResource schedules;
    private final ScheduleControlResource control;
    private final LedgerResource ledger;
    private final LedgerStore store;
    private final Trees trees;

    SchedulesPage(
            JobResource jobs,
            ScheduleResource schedules,
            ScheduleControlResource control,
            LedgerResource ledger,
            LedgerStore store,
            Trees trees) {
        this.jobs = jobs;
        this.schedules = schedules;
        this.control = control;
        this.ledger = ledger;
        this.store = store;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(40, "/schedules", "Schedules", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/schedules", KeyScope.READ, this::list);
        routes.get("/schedules/:id", KeyScope.READ, this::show);
        routes.post("/schedules/:id/pause", KeyScope.JOBS, new Audited("job", "pause"), this::pause);
        routes.post("/schedules/:id/resume", KeyScope.JOBS, new Audited("job", "resume"), this::resume);
        routes.post("/schedules/:id/trigger", KeyScope.JOBS, new Audited("job", "trigger"), this::trigger);
        routes.post("/schedules/:id/backfill/preview", KeyScope.JOBS, null, this::preview);
        routes.post("/schedules/:id/backfill", KeyScope.JOBS, new Audited("job", "backfill"), this::backfill);
    }

    /** Those of cron unless others are asked for, and only those that are in force. */
    private static Function<String, @Nullable String> inForce(Visit visit) {
        return name -> switch (name) {
            case "trigger" -> visit.query(name) == null ? "CRON" : visit.query(name);
            case "status" -> "ACTIVE";
            default -> FILTERS.contains(name) ? visit.query(name) : null;
        };
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() -> jobs.list(Paging.of(LIMIT, visit.query("cursor")), JobFilter.of(inForce(visit))))
                .map(list -> Reply.page("schedules", "Schedules")
                        .with("list", list)
                        .with("lookedAt", Trees.lookedAt(list, LIMIT, () -> JobsPage.mostLookedAt(inForce(visit))))
                        .with("filter", Filters.of(inForce(visit), FILTERS)));
    }

    private Uni<Reply> show(Visit visit) {
        var id = visit.path("id");
        return trees.of(() -> jobs.get(id))
                .chain(job -> Uni.combine()
                        .all()
                        .unis(
                                question(job)
                                        .chain(question -> trees.orProblem(() ->
                                                schedules.preview(QueuesPage.bytes(question.put("count", NEXT))))),
                                trees.of(() -> ledger.ticks(id, Paging.of(TICKS, null), null, null, null)),
                                trees.orProblem(() -> ledger.gaps(id, Paging.of(TICKS, null), null, null)))
                        .usingConcurrencyOf(1)
                        .with((next, ticks, gaps) -> Reply.page("schedule", "Schedule " + id)
                                .with("job", job)
                                .with("next", next)
                                .with("ticks", ticks)
                                .with("gaps", gaps)));
    }

    /** The question when the schedule of a job fires. All versions share the {@code H} of the first one. */
    private Uni<ObjectNode> question(ObjectNode job) {
        var question = JsonNodeFactory.instance.objectNode();
        for (var field : List.of("cron", "timezone", "dst", "every", "ends_at")) {
            if (job.hasNonNull(field)) {
                question.set(field, job.get(field));
            }
        }
        question.set("from", job.hasNonNull("next_run_at") ? job.get("next_run_at") : job.get("starts_at"));
        if (job.hasNonNull("every")) {
            question.set("starts_at", job.get("starts_at"));
            return Uni.createFrom().item(question);
        }
        var id = requireNonNull(PublicId.JOB.parse(job.path("job_id").asText()));
        return store.extent(id)
                .map(extent ->
                        extent == null ? question : question.put("hash_key", PublicId.JOB.show(extent.rootId())));
    }

    private Uni<Reply> pause(Visit visit) {
        var body = JsonNodeFactory.instance.objectNode();
        if (visit.form("reason") != null) {
            body.put("reason", visit.form("reason"));
        }
        if (visit.form("until") != null) {
            body.put("until", visit.form("until"));
        }
        return trees.of(() -> control.pause(visit.path("id"), QueuesPage.bytes(body)))
                .map(_ -> back(visit, "The schedule is paused. What runs goes on."));
    }

    private Uni<Reply> resume(Visit visit) {
        return trees.of(() -> control.resume(visit.path("id"))).map(_ -> back(visit, "The schedule goes on."));
    }

    private Uni<Reply> trigger(Visit visit) {
        return trees.of(() -> control.trigger(visit.path("id")))
                .map(execution -> new Reply.Moved(
                        "/ui/executions/" + execution.path("execution_id").asText(),
                        "It has begun, beside its ticks."));
    }

    private Uni<Reply> preview(Visit visit) {
        var id = visit.path("id");
        var range = LedgerResource.Range.read(range(visit));
        return trees.of(() -> jobs.get(id)).chain(this::question).chain(asked -> {
            var question = asked.put("from", range.from().toString())
                    .put("ends_at", range.to().toString())
                    .put("count", MOST_BACKFILLED);
            return trees.of(() -> schedules.preview(QueuesPage.bytes(question)))
                    .chain(ticks -> isMore(question, ticks).map(isMore -> backfillPage(visit, ticks, isMore)));
        });
    }

    private static Reply backfillPage(Visit visit, ObjectNode ticks, boolean isMore) {
        return Reply.page("backfill", "Backfill")
                .with("id", visit.path("id"))
                .with("isMore", isMore)
                .with("from", visit.form("from"))
                .with("to", visit.form("to"))
                .with("count", Trees.items(ticks).size())
                .with("ticks", Trees.items(ticks).valueStream().limit(LIMIT).toList());
    }

    /** Whether the range has more ticks than can be fired at once. */
    private Uni<Boolean> isMore(ObjectNode question, ObjectNode ticks) {
        var items = Trees.items(ticks);
        if (items.size() < MOST_BACKFILLED) {
            return Uni.createFrom().item(false);
        }
        var last = Instant.parse(items.path(items.size() - 1).path("utc").asText());
        var next =
                question.deepCopy().put("from", last.plusMillis(1).toString()).put("count", 1);
        return trees.of(() -> schedules.preview(QueuesPage.bytes(next)))
                .map(further -> !Trees.items(further).isEmpty());
    }

    /** The range of a form as a backfill takes it. */
    private static byte[] range(Visit visit) {
        return QueuesPage.bytes(JsonNodeFactory.instance
                .objectNode()
                .put("from", required(visit, "from"))
                .put("to", required(visit, "to")));
    }

    private static String required(Visit visit, String name) {
        var value = visit.form(name);
        if (value == null) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "'" + name + "' is required.");
        }
        return value;
    }

    private Uni<Reply> backfill(Visit visit) {
        return trees.of(() -> ledger.backfill(visit.path("id"), range(visit)))
                .map(done -> back(
                        visit,
                        filled(done.path("ticks").asInt(), done.path("fired").asInt())));
    }

    static String filled(int ticks, int fired) {
        return "Of %d tick%s, %s now."
                .formatted(
                        ticks,
                        Display.plural(ticks),
                        fired == 1 ? "1 has become an execution" : fired + " have become executions");
    }

    private static Reply back(Visit visit, String notice) {
        return new Reply.Moved("/ui/schedules/" + visit.path("id"), notice);
    }
}
