package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.execution.BulkResource;
import io.taskexec.api.execution.ExecutionListResource;
import io.taskexec.api.execution.OperationResource;
import io.taskexec.api.execution.SelectionFilter;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.model.job.Failure;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Executions that have failed and were not repeated, and the operations that repeat many of them. */
@Singleton
final class DeadLettersPage implements Section {
    private static final List<String> FILTERS =
            List.of("error_type", "endpoint", "queue", "tag", "created_from", "created_before");
    private static final int LIMIT = 50;
    private static final int OPERATIONS = 10;

    private final ExecutionListResource executions;
    private final BulkResource bulk;
    private final OperationResource operations;
    private final Trees trees;

    DeadLettersPage(ExecutionListResource executions, BulkResource bulk, OperationResource operations, Trees trees) {
        this.executions = executions;
        this.bulk = bulk;
        this.operations = operations;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(30, "/dead-letters", "Dead letters", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/dead-letters", KeyScope.READ, this::list);
        routes.post("/dead-letters/preview", KeyScope.JOBS, null, this::preview);
        routes.post("/dead-letters/retry", KeyScope.JOBS, new Audited("operation", "create"), this::retry);
        routes.get("/operations/:id", KeyScope.READ, this::operation);
        routes.post("/operations/:id/cancel", KeyScope.JOBS, new Audited("operation", "cancel"), this::stop);
    }

    /** The filter of the request, of what failed and was not repeated. */
    private static Function<String, @Nullable String> failed(Visit visit) {
        return name -> switch (name) {
            case "status" -> "FAILED";
            case "retried" -> "false";
            default -> visit.query(name);
        };
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() ->
                        executions.list(Paging.of(LIMIT, visit.query("cursor")), SelectionFilter.of(failed(visit))))
                .chain(list -> trees.of(() -> operations.list(Paging.of(OPERATIONS, null)))
                        .map(running -> Reply.page("dead-letters", "Dead letters")
                                .with("list", list)
                                .with(
                                        "lookedAt",
                                        Trees.lookedAt(list, LIMIT, () -> ExecutionsPage.mostLookedAt(failed(visit))))
                                .with(
                                        "operations",
                                        Trees.items(running)
                                                .valueStream()
                                                .map(DeadLettersPage::withMost)
                                                .toList())
                                .with("filter", Filters.of(visit::query, FILTERS))
                                .with("errors", Filters.names(Failure.Type.values()))));
    }

    private Uni<Reply> preview(Visit visit) {
        var body = body(visit).put("dry_run", true);
        return trees.of(() -> bulk.create(QueuesPage.bytes(body)))
                .map(preview -> Reply.page("preview", "Retry failed executions")
                        .with("preview", preview)
                        .with("rate", body.path("rate_per_sec").asInt())
                        .with("max", visit.form("max"))
                        .with("seconds", seconds(preview, body))
                        .with("filter", Filters.of(visit::form, FILTERS)));
    }

    private static double seconds(ObjectNode preview, ObjectNode body) {
        var count = preview.path("count").asDouble();
        var most = body.has("max") ? Math.min(count, body.path("max").asDouble()) : count;
        return 1000 * most / body.path("rate_per_sec").asDouble();
    }

    private Uni<Reply> retry(Visit visit) {
        return trees.of(() -> bulk.create(QueuesPage.bytes(body(visit))))
                .map(operation -> new Reply.Moved(
                        "/ui/operations/" + operation.path("operation_id").asText(), "The operation has begun."));
    }

    /** The body that the API wants. */
    private static ObjectNode body(Visit visit) {
        var body = JsonNodeFactory.instance.objectNode().put("action", "retry");
        var filter = body.putObject("filter").put("status", "FAILED");
        FILTERS.forEach(name -> {
            var value = visit.form(name);
            if (value != null) {
                filter.put(name, value);
            }
        });
        body.put("rate_per_sec", whole(visit, "rate", 100));
        if (visit.form("max") != null) {
            body.put("max", whole(visit, "max", 0));
        }
        return body;
    }

    private static long whole(Visit visit, String name, long fallback) {
        var text = visit.form(name);
        try {
            return text == null ? fallback : Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new ApiException(ErrorCode.INVALID_REQUEST, "'" + name + "' must be a whole number.");
        }
    }

    private Uni<Reply> operation(Visit visit) {
        return trees.of(() -> operations.get(visit.path("id")))
                .map(operation -> Reply.page("operation", "Operation").with("o", withMost(operation)));
    }

    /** Adds the number of executions that the operation handles, once they are counted. */
    static ObjectNode withMost(JsonNode item) {
        var operation = (ObjectNode) item;
        if (!operation.hasNonNull("total")) {
            return operation;
        }
        var total = operation.path("total").asLong();
        return operation.put(
                "most",
                operation.hasNonNull("max")
                        ? Math.min(total, operation.path("max").asLong())
                        : total);
    }

    private Uni<Reply> stop(Visit visit) {
        return trees.of(() -> operations.cancel(visit.path("id")))
                .map(operation -> new Reply.Moved(
                        "/ui/operations/" + operation.path("operation_id").asText(),
                        "The operation is stopped. What it has done remains done."));
    }
}
