package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.endpoint.QueueResource;
import io.taskexec.api.overview.OverviewResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.queue.Queue;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queues: what waits in them, their limits, and their pauses. */
@Singleton
final class QueuesPage implements Section {
    private static final List<String> LOADS = List.of("ready", "running", "scheduled", "parked");
    private static final int LIMIT = 100;
    private static final int MOST_MINUTES = 525_600;

    private final QueueResource queues;
    private final OverviewResource overview;
    private final Trees trees;

    QueuesPage(QueueResource queues, OverviewResource overview, Trees trees) {
        this.queues = queues;
        this.overview = overview;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(60, "/queues", "Queues", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/queues", KeyScope.READ, this::list);
        routes.get("/queues/:name", KeyScope.READ, this::show);
        routes.post("/queues/:name", KeyScope.ADMIN, new Audited("queue", "update"), this::update);
        routes.post("/queues/:name/pause", KeyScope.ADMIN, new Audited("queue", "pause"), this::pause);
        routes.post("/queues/:name/resume", KeyScope.ADMIN, new Audited("queue", "resume"), this::resume);
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() -> queues.list(Paging.of(LIMIT, visit.query("cursor"))))
                .chain(list -> trees.of(overview::get).map(now -> {
                    Trees.items(list)
                            .forEach(queue -> ((ObjectNode) queue)
                                    .set("load", load(now, queue.path("name").asText())));
                    return Reply.page("queues", "Queues").with("list", list);
                }));
    }

    private Uni<Reply> show(Visit visit) {
        var name = visit.path("name");
        return trees.of(() -> queues.get(name, List.of()))
                .chain(queue -> trees.of(overview::get)
                        .map(now -> Reply.page("queue", "Queue " + name)
                                .with("queue", queue)
                                .with("isOfWorkers", Queue.isOfWorkers(name))
                                .with("load", load(now, name))));
    }

    /** The load of a queue; null when it is not among the busiest, and so not known. */
    static @Nullable JsonNode load(ObjectNode now, String name) {
        var idle = JsonNodeFactory.instance.objectNode();
        LOADS.forEach(load -> idle.put(load, 0));
        return Trees.named(now.path("queues"), "name", name, idle);
    }

    private Uni<Reply> update(Visit visit) {
        var name = visit.path("name");
        var body = JsonNodeFactory.instance.objectNode();
        number(visit, body, "weight");
        number(visit, body, "max_concurrency");
        text(visit, body, "aging");
        text(visit, body, "ttl");
        if (visit.form("rate_limit") == null && visit.form("rate_burst") != null) {
            throw new ApiException(
                    ErrorCode.INVALID_REQUEST, "'rate_limit' is required, unless 'rate_burst' is empty too.");
        }
        if (visit.form("rate_limit") != null) {
            var rate = body.putObject("rate");
            rate.set("limit", whole(visit, "rate_limit"));
            rate.put("per", visit.form("rate_per") == null ? "PT1S" : visit.form("rate_per"));
            if (visit.form("rate_burst") != null) {
                rate.set("burst", whole(visit, "rate_burst"));
            }
        }
        var tag = visit.form("etag");
        var condition = tag == null ? List.<String>of() : List.of(tag);
        return trees.of(() -> queues.update(name, condition, bytes(body), null))
                .map(_ -> back(name, "The settings are in force."));
    }

    private Uni<Reply> pause(Visit visit) {
        var body = JsonNodeFactory.instance.objectNode();
        text(visit, body, "reason");
        var minutes = visit.form("minutes");
        if (minutes != null) {
            var count = whole(visit, "minutes").asLong();
            if (count < 1 || count > MOST_MINUTES) {
                throw new ApiException(ErrorCode.INVALID_REQUEST, "'minutes' must be from 1 to " + MOST_MINUTES + ".");
            }
            body.put("until", ProgramClock.now().plus(Duration.ofMinutes(count)).toString());
        }
        return trees.of(() -> queues.pause(visit.path("name"), bytes(body)))
                .map(_ -> back(visit.path("name"), "The queue is paused. What runs goes on."));
    }

    private Uni<Reply> resume(Visit visit) {
        return trees.of(() -> queues.resume(visit.path("name")))
                .map(_ -> back(visit.path("name"), "The queue goes on."));
    }

    private static Reply back(String name, String notice) {
        return new Reply.Moved("/ui/queues/" + Display.encode(name), notice);
    }

    private static void text(Visit visit, ObjectNode body, String name) {
        var value = visit.form(name);
        if (value != null) {
            body.put(name, value);
        }
    }

    private static void number(Visit visit, ObjectNode body, String name) {
        if (visit.form(name) != null) {
            body.set(name, whole(visit, name));
        }
    }

    private static JsonNode whole(Visit visit, String name) {
        try {
            return JsonNodeFactory.instance.numberNode(Long.parseLong(String.valueOf(visit.form(name))));
        } catch (NumberFormatException _) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "'" + name + "' must be a whole number.");
        }
    }

    static byte[] bytes(ObjectNode body) {
        return body.toString().getBytes(StandardCharsets.UTF_8);
    }
}
