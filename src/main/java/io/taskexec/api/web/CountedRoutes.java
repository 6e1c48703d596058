package io.taskexec.api.web;

import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** Routes that no resource declares, and that metrics count by their templates all the same. */
public final class CountedRoutes {
    private static final String TEMPLATE = "route template";

    private CountedRoutes() {}

    /**
     * Adds a route.
     *
     * @param prefix where the router is mounted
     * @param path with parameters as {@code :name}
     */
    public static Route add(Router router, HttpMethod method, String prefix, String path) {
        var template = prefix + path.replaceAll(":(\\w+)", "{$1}");
        return router.route(method, path).handler(context -> {
            context.put(TEMPLATE, template);
            context.next();
        });
    }

    /** The template of the route that answers a request; null when it is no such route. */
    public static @Nullable String template(RoutingContext context) {
        return context.get(TEMPLATE);
    }
}
