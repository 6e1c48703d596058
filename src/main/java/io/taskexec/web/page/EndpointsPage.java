package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.endpoint.EndpointHealthResource;
import io.taskexec.api.endpoint.EndpointResource;
import io.taskexec.api.overview.OverviewResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.web.frame.Display;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Endpoints: their health, their last minute, and their definitions. */
@Singleton
final class EndpointsPage implements Section {
    private static final int LIMIT = 50;
    private static final int EVENTS = 20;
    private static final int VERSIONS = 50;

    private final EndpointResource endpoints;
    private final EndpointHealthResource health;
    private final OverviewResource overview;
    private final Trees trees;

    EndpointsPage(EndpointResource endpoints, EndpointHealthResource health, OverviewResource overview, Trees trees) {
        this.endpoints = endpoints;
        this.health = health;
        this.overview = overview;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(55, "/endpoints", "Endpoints", KeyScope.READ);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/endpoints", KeyScope.READ, this::list);
        routes.get("/endpoints/:name", KeyScope.READ, this::show);
        routes.post("/endpoints/:name/enable", KeyScope.ADMIN, new Audited("endpoint", "enable"), this::enable);
    }

    private Uni<Reply> list(Visit visit) {
        return trees.of(() -> endpoints.list(Paging.of(LIMIT, visit.query("cursor"))))
                .chain(list -> trees.of(overview::get).map(now -> {
                    Trees.items(list).forEach(one -> {
                        var name = one.path("name").asText();
                        ((ObjectNode) one).put("breaker", state(now, name)).set("minute", minute(now, name));
                    });
                    return Reply.page("endpoints", "Endpoints").with("list", list);
                }));
    }

    /** The last minute of an endpoint; null when it is not among the busiest, and so not known. */
    private static @Nullable JsonNode minute(ObjectNode now, String name) {
        var idle = JsonNodeFactory.instance.objectNode().put("attempts", 0).put("failures", 0);
        return Trees.named(now.path("endpoints"), "name", name, idle);
    }

    /** The state of a breaker; null when there are so many in trouble that it may be one that was not read. */
    private static @Nullable String state(ObjectNode now, String name) {
        var healthy = JsonNodeFactory.instance.objectNode().put("state", "CLOSED");
        var breaker = Trees.named(now.path("breakers"), "endpoint", name, healthy);
        return breaker == null ? null : breaker.path("state").asText();
    }

    private Uni<Reply> show(Visit visit) {
        var name = visit.path("name");
        return trees.of(() -> endpoints.get(name, List.of()))
                .chain(endpoint -> Uni.combine()
                        .all()
                        .unis(
                                trees.of(() -> health.breaker(name)),
                                trees.of(() -> health.events(name, Paging.of(EVENTS, null))),
                                trees.of(overview::get),
                                trees.of(() -> endpoints.versions(name, Paging.of(VERSIONS, null))))
                        .usingConcurrencyOf(1)
                        .with((breaker, events, now, versions) -> compared(visit, versions)
                                .with("endpoint", endpoint)
                                .with("breaker", breaker)
                                .with(
                                        "events",
                                        Trees.items(events).valueStream().toList())
                                .with("minute", minute(now, name))));
    }

    /** The page with the difference between two versions, the last two unless others are chosen. */
    private static Reply.Page compared(Visit visit, ObjectNode versions) {
        var page = Reply.page("endpoint", "Endpoint " + visit.path("name"));
        var items = Trees.items(versions);
        if (items.size() < 2) {
            return page.with("versions", null);
        }
        var from = version(visit.query("from"), items, 1);
        var to = version(visit.query("to"), items, 0);
        return page.with("versions", items.valueStream().toList())
                .with("from", from.path("version").asInt())
                .with("to", to.path("version").asInt())
                .with("difference", VersionDifference.of(from, to));
    }

    private static ObjectNode version(@Nullable String chosen, ArrayNode items, int otherwise) {
        return items.valueStream()
                .filter(item -> item.path("version").asText().equals(chosen))
                .findFirst()
                .or(() -> chosen == null ? Optional.of(items.path(otherwise)) : Optional.empty())
                .map(ObjectNode.class::cast)
                .orElseThrow(() -> new ApiException(
                        ErrorCode.INVALID_REQUEST,
                        "'%s' is not one of the newest %d versions; GET /endpoints/{name}/versions has all of them."
                                .formatted(chosen, VERSIONS)));
    }

    private Uni<Reply> enable(Visit visit) {
        var name = visit.path("name");
        return trees.of(() -> health.enable(name, visit.caller().name()))
                .map(_ -> new Reply.Moved("/ui/endpoints/" + Display.encode(name), "The endpoint is enabled."));
    }
}
